// Registers, signs in, creates, lists and updates through hey-api; prints what it saw.
import { client } from "./hey/client.gen";
import * as sdk from "./hey/sdk.gen";
import * as zod from "./hey/zod.gen";

const [base, name] = process.argv.slice(2) as [string, string];
const password = "a long enough secret 7";

async function main(): Promise<void> {
  client.setConfig({ baseUrl: base });
  const refused = await sdk.usersCreate({ body: { user_name: name, email_address: "nowhere", password: "short" } });
  await sdk.usersCreate({ body: { user_name: name, email_address: `${name}@example.org`, password } });
  const session = await sdk.sessionCreate({ body: { user_name: name, password } });
  client.setConfig({ baseUrl: base, headers: { Authorization: `Bearer ${session.data?.token}` } });
  const made = await sdk.eventsCreate({ body: { title: "Trio", start_time: new Date().toISOString(), public: true } });
  const event_id = zod.zEventDetail.parse(made.data).id;
  const listed = await sdk.eventsIndex({ query: { ids: [Number(event_id)] } });
  const updated = await sdk.eventsUpdate({ path: { event_id: Number(event_id) }, body: { description: "Three people." } });
  const event = updated.data && "events" in updated.data ? updated.data.events[0] : updated.data;
  console.log(JSON.stringify({
    listed: listed.data?.events.map((each) => each.title),
    refused: refused.error?.errors.map((each) => each.field),
    description: event?.description,
  }));
}

main().catch((error) => { console.error(error); process.exit(1); });
