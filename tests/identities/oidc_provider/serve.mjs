// A provider for the tests: whoever gives a name is signed in under it. ROLES names the groups of people: {"ana": ["members"]}.
import Provider from "oidc-provider";

const [port, redirects, groups] = [Number(process.env.PORT), JSON.parse(process.env.REDIRECTS), JSON.parse(process.env.GROUPS ?? "{}")];
const issuer = `http://localhost:${port}`;

const provider = new Provider(issuer, {
  clients: [{ client_id: "kalends", client_secret: "a-secret-of-the-tests", redirect_uris: redirects }],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "preferred_username"], groups: ["groups"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true, methods: ["S256"] },
  cookies: { keys: ["for the tests"] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  async findAccount(_ctx, id) {
    const claims = { sub: id, email: `${id}@club.example`, email_verified: true, name: id, preferred_username: id, groups: groups[id] ?? [] };
    return { accountId: id, claims: async () => claims };
  },
  async loadExistingGrant(ctx) {
    const { client, account, params } = ctx.oidc;
    const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
    grant.addOIDCScope(params.scope);
    await grant.save();
    return grant;
  },
});

const FORM = `<!doctype html><html lang="en"><title>Club</title><h1>Club</h1>
<form method="post"><label>Name <input name="name"></label> <button>Continue</button></form>`;

provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith("/interaction/")) return next();
  if (ctx.method === "GET") {
    ctx.type = "html";
    ctx.body = FORM;
    return undefined;
  }
  let body = "";
  for await (const part of ctx.req) body += part;
  const name = new URLSearchParams(body).get("name");
  return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: name } });
});

provider.listen(port, "127.0.0.1", () => console.log("ready"));
