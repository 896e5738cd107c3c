// Registers, signs in, creates, lists and updates through both clients; prints what it saw.
import createClient from "openapi-fetch";
import type { paths } from "./schema";
import { client } from "./hey/client.gen";
import * as sdk from "./hey/sdk.gen";
import * as zod from "./hey/zod.gen";

const [base, name] = process.argv.slice(2) as [string, string];
const password = "a long enough secret 7";

async function main(): Promise<void> {
  const guest = createClient<paths>({ baseUrl: base });
  const registered = await guest.POST("/api/users", { body: { user_name: name, email_address: `${name}@example.org`, password } });
  if (registered.error) throw new Error(JSON.stringify(registered.error));
  const session = await guest.POST("/api/session", { body: { user_name: name, password } });
  const headers = { Authorization: `Bearer ${session.data?.token}` };
  const api = createClient<paths>({ baseUrl: base, headers });
  const made = await api.POST("/api/events", { body: { title: "Trio", start_time: new Date().toISOString(), public: true } });
  const other = await api.POST("/api/events", { body: { title: "Duo", start_time: "2028-02-29" } });
  const ids = [made.data?.id ?? 0, other.data?.id ?? 0];
  const listed = await api.GET("/api/events", { params: { query: { ids } } });

  client.setConfig({ baseUrl: base, headers });
  const again = await sdk.eventsIndex({ query: { ids } });
  const refused = await sdk.usersCreate({ body: { user_name: name, email_address: "nowhere", password: "short" } });
  const updated = await sdk.eventsUpdate({ path: { event_id: ids[0] ?? 0 }, body: { description: "Three people." } });
  const event = updated.data && "events" in updated.data ? updated.data.events[0] : updated.data;
  const parsed = zod.zEventDetail.parse(made.data);
  console.log(JSON.stringify({
    listed: listed.data?.events.map((each) => each.title),
    again: again.data?.events.length,
    refused: refused.error?.errors.map((each) => each.field),
    description: event?.description,
    parsed: parsed.title,
  }));
}

main().catch((error) => { console.error(error); process.exit(1); });
