// Registers, signs in, creates, lists and updates through openapi-fetch; prints what it saw.
import createClient from "openapi-fetch";
import type { paths } from "./schema";

const [base, name] = process.argv.slice(2) as [string, string];
const password = "a long enough secret 7";

async function main(): Promise<void> {
  const guest = createClient<paths>({ baseUrl: base });
  const refused = await guest.POST("/api/users", { body: { user_name: name, email_address: "nowhere", password: "short" } });
  const registered = await guest.POST("/api/users", { body: { user_name: name, email_address: `${name}@example.org`, password } });
  if (registered.error) throw new Error(JSON.stringify(registered.error));
  const session = await guest.POST("/api/session", { body: { user_name: name, password } });
  const api = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${session.data?.token}` } });
  const start = await api.GET("/api/changes");
  const made = await api.POST("/api/events", { body: { title: "Trio", start_time: new Date().toISOString(), public: true } });
  const other = await api.POST("/api/events", { body: { title: "Duo", start_time: "2028-02-29" } });
  const event_id = made.data?.id ?? 0;
  const listed = await api.GET("/api/events", { params: { query: { ids: [event_id, other.data?.id ?? 0] } } });
  const updated = await api.PUT("/api/events/{event_id}", { params: { path: { event_id } }, body: { description: "Three people." } });
  const event = updated.data && "events" in updated.data ? updated.data.events[0] : updated.data;
  const upserted = await api.PUT("/api/events", {
    params: { query: { uid: "duo@example.org" }, header: { "If-None-Match": "*" } },
    body: { title: "Quartet", start_time: "2028-02-29" },
  });
  const followed = await api.GET("/api/changes", { params: { query: { cursor: start.data?.cursor } } });
  const changed = followed.data?.changes.flatMap((each) => (each.kind === "event" && each.op === "put" ? [each.event.title] : []));
  console.log(JSON.stringify({
    upserted: upserted.data?.uid,
    changed,
    listed: listed.data?.events.map((each) => each.title),
    refused: refused.error?.errors.map((each) => each.field),
    description: event?.description,
  }));
}

main().catch((error) => { console.error(error); process.exit(1); });
