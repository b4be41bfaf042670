import { beforeEach, expect, it, vi } from "vitest";

import { NotAuthenticated, Session, type SessionUser } from "../auth/session";
import { tokenFor } from "../testing/tokens";
import { createApiClient, reach, SLOW_MS, TIMEOUT_MS, unwrap } from "./client";
import { ApiError, lookup, retryAfterOf } from "./errors";

const ada: SessionUser = { id: "ada", username: "ada", email: "ada@example.com", role: "student" };
const address = "/api/v1/auth/session/";

let answers: (Response | Error)[];
let asked: Request[];
let renewed: string | null;

beforeEach(() => {
  answers = [];
  asked = [];
  renewed = null;
  document.cookie = "csrftoken=proof%3D; path=/";
  vi.stubGlobal("fetch", (request: Request) => {
    asked.push(request);
    const answer = answers.shift() ?? Response.json({});
    return answer instanceof Response ? Promise.resolve(answer) : Promise.reject(answer);
  });
});

function sessionOf(token?: string): Session {
  const session = new Session({
    storage: localStorage,
    fetchSession: () => Promise.resolve(renewed === null ? null : { user: ada, token: renewed }),
    endSession: () => Promise.resolve(),
    renderedFor: token === undefined ? "" : "ada",
    exclusively: (work) => work(),
  });
  if (token !== undefined) session.login(ada, token);
  return session;
}

async function failure(answer: Response | Error, token?: string): Promise<ApiError> {
  answers = [answer];
  return unwrap(createApiClient(sessionOf(token)).GET(address)).then(
    () => expect.unreachable("it should have failed"),
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(ApiError);
      return thrown as ApiError;
    },
  );
}

function problem(status: number, body: object): Response {
  const headers = { "Content-Type": "application/problem+json" };
  return new Response(JSON.stringify(body), { status, headers });
}

it("returns the data of a response", async () => {
  answers = [Response.json({ token: "t" })];

  await expect(unwrap(createApiClient(sessionOf()).GET(address))).resolves.toEqual({ token: "t" });
});

it("returns nothing for a response without content", async () => {
  answers = [new Response(null, { status: 204 })];

  await expect(unwrap(createApiClient(sessionOf()).GET(address))).resolves.toBeUndefined();
});

it("sends the token of the session, and none for a visitor", async () => {
  const token = tokenFor(600);
  await createApiClient(sessionOf(token)).GET(address);
  await createApiClient(sessionOf()).GET(address);

  expect(asked.map((request) => request.headers.get("Authorization"))).toEqual([
    `Bearer ${token}`,
    null,
  ]);
});

it("sends the CSRF token with changes only", async () => {
  const client = createApiClient(sessionOf());
  await client.GET(address);
  await client.request("post", address as never);

  expect(asked.map((request) => request.headers.get("X-CSRFToken"))).toEqual([null, "proof="]);
});

it("fails with the specified message if a call needs a user and nobody is signed in", async () => {
  const client = createApiClient(sessionOf(), { isRequired: true });

  await expect(client.GET(address)).rejects.toThrow(NotAuthenticated);
  await expect(client.GET(address)).rejects.toThrow("User is not authenticated");
  expect(asked).toHaveLength(0);
});

it("renews a token that is about to end before it is sent", async () => {
  vi.useFakeTimers();
  const session = sessionOf(tokenFor(90));
  vi.advanceTimersByTime(31_000);
  renewed = tokenFor(600);
  await createApiClient(session).GET(address);

  expect(asked[0]?.headers.get("Authorization")).toBe(`Bearer ${renewed}`);
});

it("renews a rejected token and repeats the call", async () => {
  renewed = tokenFor(900);
  answers = [problem(401, { code: "NOT_AUTHENTICATED" }), Response.json({ token: "ok" })];
  const answer = unwrap(createApiClient(sessionOf(tokenFor(600))).GET(address));

  await expect(answer).resolves.toEqual({ token: "ok" });
  expect(asked).toHaveLength(2);
  expect(asked[1]?.headers.get("Authorization")).toBe(`Bearer ${renewed}`);
});

it("is signed out when the cookie has expired, too", async () => {
  const session = sessionOf(tokenFor(600));
  answers = [problem(401, { code: "NOT_AUTHENTICATED" })];
  const answer = unwrap(createApiClient(session).GET(address));

  await expect(answer).rejects.toMatchObject({ status: 401 });
  expect(session.state.user).toBeNull();
  expect(asked).toHaveLength(1);
});

it("carries the problem, message and data of the server", async () => {
  const error = await failure(
    problem(403, {
      code: "ENROLLMENT_REQUIRED",
      title: "Enroll",
      detail: "Join “Algebra”.",
      params: { course: "Algebra" },
      fields: { slug: [{ code: "required", message: "Needed." }] },
      request_id: "r1",
    }),
  );

  expect(error.is("ENROLLMENT_REQUIRED")).toBe(true);
  expect(error.is("SERVER_ERROR")).toBe(false);
  expect(error.message).toBe("Join “Algebra”.");
  expect(error.problem).toMatchObject({
    title: "Enroll",
    status: 403,
    params: { course: "Algebra" },
    fields: { slug: [{ code: "required", message: "Needed." }] },
    request_id: "r1",
  });
});

it.each([
  ["a proxy's HTML page", new Response("<html>502</html>", { status: 502 }), "SERVER_ERROR"],
  ["an empty 500", new Response(null, { status: 500 }), "SERVER_ERROR"],
  ["a body that is a list", problem(400, ["no"]), "UNKNOWN_ERROR"],
  ["a code nobody knows", problem(418, { code: "TEAPOT", detail: "Short" }), "UNKNOWN_ERROR"],
  ["an unknown 500", problem(500, { code: "TEAPOT" }), "SERVER_ERROR"],
  ["a bare 404", new Response("", { status: 404 }), "NOT_FOUND"],
  ["a bare 403", new Response("", { status: 403 }), "PERMISSION_DENIED"],
  ["no answer at all", new TypeError("Failed to fetch"), "NETWORK_FAILED"],
  ["a page where JSON was promised", new Response("<html>", { status: 200 }), "SERVER_ERROR"],
] as const)("makes an error of %s", async (_, answer, code) => {
  const error = await failure(answer);

  expect(error.problem.code).toBe(code);
  expect(error.message).not.toBe("");
  expect(error.message).not.toContain("<html>");
});

it("knows how long to wait", async () => {
  const headers = { "Retry-After": "17" };
  const error = await failure(new Response("<html>", { status: 429, headers }));

  expect(error.is("RATE_LIMIT_EXCEEDED")).toBe(true);
  expect(error.retryAfter).toBe(17);
  expect(error.message).toContain("17 seconds");
});

it.each([
  [null, undefined],
  ["", undefined],
  ["soon", undefined],
  ["120", 120],
  ["Fri, 20 Nov 2026 17:00:30 GMT", 30],
  ["Fri, 20 Nov 2026 16:00:00 GMT", 0],
])("reads Retry-After %j as %j", (header, seconds) => {
  expect(retryAfterOf(header, Date.UTC(2026, 10, 20, 17))).toBe(seconds);
});

it("names the reference of a failure whose body has none", async () => {
  const headers = { "X-Request-ID": "SP-1" };

  expect((await failure(new Response("", { status: 500, headers }))).problem.request_id).toBe(
    "SP-1",
  );
});

it("throws an abort unchanged", async () => {
  answers = [new DOMException("stopped", "AbortError")];
  const call = unwrap(createApiClient(sessionOf()).GET(address));

  await expect(call).rejects.toMatchObject({ name: "AbortError" });
});

it("says that the browser is offline, and when a response arrives again", async () => {
  document.body.innerHTML = `<div data-toasts data-restored="You're back online."></div>`;
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const error = await failure(new TypeError("Failed to fetch"));
  expect(error.problem.code).toBe("NETWORK_OFFLINE");
  expect(document.querySelector(".toast")).toBeNull();

  await unwrap(createApiClient(sessionOf()).GET(address));
  await unwrap(createApiClient(sessionOf()).GET(address));
  const toasts = [...document.querySelectorAll(".toast p")].map((one) => one.textContent);
  expect(toasts).toEqual(["You're back online."]);
});

it("says once that it is slow, and fails with a timeout", async () => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div data-toasts></div>`;
  vi.stubGlobal("fetch", (_: Request, { signal }: RequestInit) => {
    return new Promise((__, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  });
  const client = createApiClient(sessionOf());
  const calls = [1, 2].map(() => unwrap(client.GET(address)).catch((thrown: unknown) => thrown));
  const toasts = () => document.querySelectorAll(".toast").length;

  await vi.advanceTimersByTimeAsync(SLOW_MS - 1);
  expect(toasts()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(toasts()).toBe(1);
  expect(document.querySelector(".toast p")?.textContent).toBe(lookup("NETWORK_SLOW").message);

  await vi.advanceTimersByTimeAsync(TIMEOUT_MS - SLOW_MS);
  for (const error of await Promise.all(calls)) {
    expect(error).toMatchObject({ problem: { code: "NETWORK_TIMEOUT" } });
    expect((error as Error).message).toContain("within 30 seconds");
  }
  expect(toasts()).toBe(0);
});

it("stops with its caller and shows no message for calls in the background", async () => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div data-toasts></div>`;
  vi.stubGlobal("fetch", (_: Request, { signal }: RequestInit) => {
    return new Promise((__, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  });
  const caller = new AbortController();
  const call = unwrap(
    createApiClient(sessionOf()).GET(address, { signal: caller.signal, fetch: reach }),
  ).catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(SLOW_MS * 2);
  expect(document.querySelector(".toast")).toBeNull();

  caller.abort();
  await expect(call).resolves.toMatchObject({ name: "AbortError" });
});

it("is offline, not signed out, when the token cannot be renewed", async () => {
  vi.useFakeTimers();
  const session = new Session({
    storage: localStorage,
    fetchSession: () => Promise.reject(new TypeError("Failed to fetch")),
    endSession: () => Promise.resolve(),
    renderedFor: "ada",
    exclusively: (work) => work(),
  });
  session.login(ada, tokenFor(90));
  vi.advanceTimersByTime(31_000);

  await expect(unwrap(createApiClient(session).GET(address))).rejects.toMatchObject({
    problem: { code: "NETWORK_FAILED" },
  });
  expect(session.state.user).toEqual(ada);
});

it("knows the code of every failure, and one for the rest", () => {
  expect(lookup("VIDEO_LOAD_FAILED")).toMatchObject({ autoRetry: true, retryDelay: 5 });
  expect(lookup("TEAPOT").code).toBe("UNKNOWN_ERROR");
  expect(lookup(undefined).code).toBe("UNKNOWN_ERROR");
  expect(lookup("constructor").code).toBe("UNKNOWN_ERROR");
});

it.each([
  ["VIDEO_LOAD_FAILED", "error", 5],
  ["VIDEO_NETWORK_ERROR", "warning", 3],
  ["VIDEO_FORMAT_UNSUPPORTED", "error", null],
  ["VIDEO_QUALITY_DEGRADED", "info", null],
  ["SERVER_ERROR", "error", 10],
  ["AI_UNAVAILABLE", "warning", 15],
] as const)("has the specified behavior of %s", (code, severity, delay) => {
  expect(lookup(code)).toMatchObject({ severity, autoRetry: delay !== null, retryDelay: delay });
});

it("has every code of the specification", () => {
  const codes =
    `VIDEO_LOAD_FAILED VIDEO_NETWORK_ERROR VIDEO_FORMAT_UNSUPPORTED VIDEO_QUALITY_DEGRADED
    VIDEO_DRM_ERROR AUTH_INVALID_CREDENTIALS AUTH_ACCOUNT_LOCKED AUTH_SESSION_EXPIRED
    AUTH_EMAIL_NOT_VERIFIED PAYMENT_CARD_DECLINED PAYMENT_PROCESSING_ERROR SUBSCRIPTION_EXPIRED
    ENROLLMENT_REQUIRED UPLOAD_FILE_TOO_LARGE UPLOAD_FORMAT_UNSUPPORTED UPLOAD_NETWORK_ERROR
    UPLOAD_QUOTA_EXCEEDED COURSE_NOT_FOUND LECTURE_UNAVAILABLE PREREQUISITE_NOT_MET NETWORK_OFFLINE
    SERVER_ERROR RATE_LIMIT_EXCEEDED MAINTENANCE_MODE AI_UNAVAILABLE AI_CONTEXT_TOO_LONG
    AI_CONTENT_FILTERED FORUM_POST_TOO_LONG FORUM_MODERATION_REQUIRED UNKNOWN_ERROR
    FEATURE_COMING_SOON`.split(/\s+/);

  expect(codes).toHaveLength(31);
  expect(codes.filter((code) => lookup(code).code !== code)).toEqual([]);
});
