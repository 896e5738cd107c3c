// A calendar and an address book by tsdav: finds them, makes others, writes, synchronises and deletes; prints what it saw.
import { createDAVClient } from "tsdav";

const [serverUrl, username, password] = process.argv.slice(2);
const connect = (defaultAccountType) =>
  createDAVClient({ serverUrl, credentials: { username, password }, authMethod: "Basic", defaultAccountType });
const event = (title) => ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//EN", "BEGIN:VEVENT", "UID:gig", "DTSTAMP:20260101T000000Z",
  "DTSTART:20260601T180000Z", "DTEND:20260601T200000Z", `SUMMARY:${title}`, "X-ODD;A=\"b:c\":d", "END:VEVENT", "END:VCALENDAR", ""].join("\r\n");
const card = (name) => ["BEGIN:VCARD", "VERSION:3.0", "UID:ana", `N:Lopez;${name};;;`, `FN:${name} Lopez`, "X-ODD:d", "END:VCARD", ""].join("\r\n");
const names = (objects) => objects.map((each) => new URL(each.url).pathname.split("/").pop());
// tsdav trims what it reads.
const isSame = (object, text) => object.data === text.trim();

async function useCalendars() {
  const client = await connect("caldav");
  const [first] = await client.fetchCalendars();
  const url = new URL("../tour/", first.url).href;
  await client.makeCalendar({ url, props: { displayname: "Tour" } });
  const calendars = await client.fetchCalendars();
  const calendar = calendars.find((each) => each.url === url);
  const created = await client.createCalendarObject({ calendar, filename: "gig.ics", iCalString: event("Gig") });
  const [object] = await client.fetchCalendarObjects({ calendar });
  const sync = ({ syncToken }, objects) => client.smartCollectionSyncDetailed({
    collection: { ...calendar, syncToken, objects, objectMultiGet: client.calendarMultiGet }, method: "webdav",
  });
  const before = await sync(calendar, []);
  const updated = await client.updateCalendarObject({ calendarObject: { ...object, data: event("Concert") } });
  const stale = await client.updateCalendarObject({ calendarObject: { ...object, data: event("Late") } });
  const range = { start: "2026-06-01T00:00:00Z", end: "2026-06-02T00:00:00Z" };
  const [changed] = await client.fetchCalendarObjects({ calendar, timeRange: range });
  const none = await client.fetchCalendarObjects({ calendar, timeRange: { start: "2026-07-01T00:00:00Z", end: "2026-07-02T00:00:00Z" } });
  const synced = await sync(before, [object]);
  const deleted = await client.deleteCalendarObject({ calendarObject: changed });
  const after = await sync(synced, [changed]);
  return {
    calendars: calendars.map((each) => each.displayName), statuses: [created, updated, stale, deleted].map((each) => each.status),
    same: [isSame(object, event("Gig")), isSame(changed, event("Concert"))], outside: none.length,
    sync: [names(before.objects.created), names(synced.objects.updated), names(after.objects.deleted)],
  };
}

async function useBooks() {
  const client = await connect("carddav");
  const [first] = await client.fetchAddressBooks();
  const url = new URL("../work/", first.url).href;
  const props = { resourcetype: { "d:collection": {}, "card:addressbook": {} }, displayname: "Work" };
  await client.makeCollection({ url, props });
  const books = await client.fetchAddressBooks();
  const addressBook = books.find((each) => each.url === url);
  const created = await client.createVCard({ addressBook, filename: "ana.vcf", vCardString: card("Ana") });
  const [object] = await client.fetchVCards({ addressBook });
  const updated = await client.updateVCard({ vCard: { ...object, data: card("Anna") } });
  const { isDirty } = await client.isCollectionDirty({ collection: addressBook });
  const [changed] = await client.fetchVCards({ addressBook });
  const deleted = await client.deleteVCard({ vCard: changed });
  return {
    books: books.map((each) => each.displayName), statuses: [created, updated, deleted].map((each) => each.status),
    same: [isSame(object, card("Ana")), isSame(changed, card("Anna"))], isDirty, left: (await client.fetchVCards({ addressBook })).length,
  };
}

console.log(JSON.stringify({ calendars: await useCalendars(), books: await useBooks() }));
