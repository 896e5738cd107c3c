// A shared calendar by tsdav for its owner, an editor and a viewer, and contacts of the owner; prints what it saw.
import { readFileSync } from "node:fs";
import { createDAVClient } from "tsdav";

const { serverUrl, calendarId, users, series, cards } = JSON.parse(readFileSync(0, "utf8"));
const connect = ({ username, password }, defaultAccountType) =>
  createDAVClient({ serverUrl, credentials: { username, password }, authMethod: "Basic", defaultAccountType });
const texts = (objects) => objects.map((each) => each.data).sort();
const statuses = (replies) => replies.map((each) => each.status);

// The pages change records as the API does.
async function call(method, path, body) {
  const headers = { Authorization: `Bearer ${users.owner.token}`, "Content-Type": "application/json" };
  const reply = await fetch(serverUrl + path, { method, headers, body: body && JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status}`);
  return reply.json();
}

async function useSharedCalendar() {
  const clients = {}, calendars = {};
  for (const role of ["owner", "editor", "viewer"]) {
    clients[role] = await connect(users[role], "caldav");
    calendars[role] = (await clients[role].fetchCalendars()).find((each) => each.url.endsWith(`/${calendarId}/`));
  }
  const read = (role) => clients[role].fetchCalendarObjects({ calendar: calendars[role] });
  const created = await clients.editor.createCalendarObject({ calendar: calendars.editor, filename: "series.ics", iCalString: series });
  const [object] = await read("viewer");
  const refused = [
    await clients.viewer.updateCalendarObject({ calendarObject: { ...object, data: series.replace("Practice", "Mine") } }),
    await clients.viewer.createCalendarObject({ calendar: calendars.viewer, filename: "new.ics", iCalString: series.replaceAll("UID:u1", "UID:u2") }),
    await clients.viewer.deleteCalendarObject({ calendarObject: object }),
  ];
  const { events } = await call("GET", "/api/events?limit=100");
  await call("PUT", `/api/events/${events.find((each) => each.title === "Moved").id}`, { title: "Recording" });
  const [changed] = await read("editor");
  return { created: created.status, read: object.data, refused: statuses(refused), changed: changed.data, ...await move(clients, changed, read) };
}

// tsdav has no MOVE: a program writes the file into the other calendar, and deletes it from the first one.
async function move({ editor }, object, read) {
  const home = (await editor.fetchCalendars()).find((each) => !each.url.endsWith(`/${calendarId}/`));
  const replies = [
    await editor.createCalendarObject({ calendar: home, filename: "moved.ics", iCalString: `${object.data}\r\n` }),
    await editor.deleteCalendarObject({ calendarObject: object }),
  ];
  return { move: statuses(replies), moved: texts(await editor.fetchCalendarObjects({ calendar: home })), left: texts(await read("owner")) };
}

async function useContacts() {
  const client = await connect(users.owner, "carddav");
  const [addressBook] = await client.fetchAddressBooks();
  for (const [n, vCardString] of cards.entries()) await client.createVCard({ addressBook, filename: `${n}.vcf`, vCardString });
  const read = await client.fetchVCards({ addressBook });
  const { contacts: [contact] } = await call("GET", "/api/contacts");
  await call("PUT", `/api/contacts/${contact.id}`, { email_address: "new@example.org" });
  return { read: texts(read), changed: texts(await client.fetchVCards({ addressBook })) };
}

console.log(JSON.stringify({ calendar: await useSharedCalendar(), contacts: await useContacts() }));
