import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { startTopic } from "./page";
import { showPosts } from "./follow";

type Answer = () => Response;
let answers: Answer[] = [];
const calls: string[] = [];

const post = (id: string, text = "", acts = ""): string =>
  `<article class="post" id="${id}"><div><span class="post__who">Ada</span><p>${text || id}</p><div class="post__acts"><button form="acts" formaction="/forum/posts/${id}/vote" name="on" value="1" aria-pressed="false"><span class="num">2<span class="vh"> found this helpful</span></span></button><a href="/forum/topics/1?reply=${id}#reply" data-reply="${id.slice(1)}">Reply</a>${acts}</div></div></article>`;
const at = (id: string, html = "", under = ""): string =>
  `<div data-at="${id}" data-under="${under}">${html}</div>`;
const part = (stamp: number, last: number, inner: string): string =>
  `<div data-part data-stamp="${stamp}" data-last="${last}"><div data-head><h1>New title</h1></div>${inner}</div>`;

function show(inner: string, last = 2): HTMLElement {
  document.body.innerHTML = `<header data-topic-head><h1>Title</h1></header>
    <div data-topic="1" data-page="1" data-stamp="5" data-last="${last}" data-upto="25">${inner}</div>
    <p hidden><a data-more="0" href="/forum/topics/1?page=2"></a></p><p data-writing hidden>Someone writes</p>
    <form id="acts"></form>
    <form id="reply"><input name="reply_to"><p data-reply-line hidden>In reply to <b></b> <a href="#reply">Reply to the topic</a></p><textarea></textarea></form>`;
  return document.querySelector<HTMLElement>("[data-topic]")!;
}
const parse = (html: string): HTMLElement =>
  new DOMParser().parseFromString(html, "text/html").querySelector<HTMLElement>("[data-part]")!;
const ids = (within: ParentNode = document): string[] =>
  [...within.querySelectorAll(".post")].map((one) => one.id);
const start = (list: HTMLElement) =>
  startTopic(list, document.querySelector<HTMLFormElement>("#reply"), () => true);
const settle = async (ms = 2_500): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
};

forgetListenersAfterEach();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("CSS", { supports: () => true });
  calls.length = 0;
  answers = [];
  vi.stubGlobal("fetch", (address: string, init?: RequestInit) => {
    const { pathname, search } = new URL(address, location.href);
    calls.push(`${init?.method ?? "GET"} ${pathname}${search}`);
    const answer = answers.shift();
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError("offline"));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("showPosts", () => {
  it("adds, replaces, moves and removes posts until they are those of the server", () => {
    const list = show(
      `${post("p1")}<article class="post" id="p2"><div>old</div><div class="post__replies">${post("p3")}</div></article>${post("p4")}${post("p9")}`,
    );
    const kept = document.getElementById("p3");
    const added = showPosts(
      list,
      parse(
        part(
          9,
          6,
          at("p1") +
            at("p4", post("p4", "accepted")) +
            at("p2", post("p2", "edited")) +
            at("p3", "", "p2") +
            at("p5", post("p5"), "p2") +
            at("p6", post("p6"), "p1"),
        ),
      ),
    );

    expect(added).toBe(2);
    expect(ids()).toEqual(["p1", "p6", "p4", "p2", "p3", "p5"]);
    expect(ids(document.getElementById("p2")!)).toEqual(["p3", "p5"]);
    expect(document.getElementById("p3")).toBe(kept);
    expect(document.getElementById("p2")!.textContent).toContain("edited");
    expect(document.querySelector("h1")!.textContent).toBe("New title");
  });

  it("keeps the focus and an open menu in a post that is replaced", () => {
    const menu = `<details><summary>More</summary></details>`;
    const list = show(post("p1", "", menu));
    document.querySelector("details")!.open = true;
    const button = document.querySelector<HTMLButtonElement>("button")!;
    button.focus();
    showPosts(list, parse(part(9, 1, at("p1", post("p1", "edited", menu)))));

    expect(button.isConnected).toBe(false);
    expect(document.activeElement).toBe(document.querySelector("button"));
    expect(document.querySelector("details")!.open).toBe(true);
  });

  it("changes nothing if the server left out a post that the page lacks", () => {
    const list = show(post("p1"));
    expect(showPosts(list, parse(part(9, 2, at("p1") + at("p2"))))).toBeNull();
    expect(ids()).toEqual(["p1"]);
  });
});

describe("startTopic", () => {
  it("fetches newer posts once, however often they are announced by the socket", async () => {
    const live = start(show(post("p1") + post("p2")));
    answers = [() => new Response(part(6, 3, at("p1") + at("p2") + at("p3", post("p3"))))];
    live.hear({ type: "writing" });
    expect(document.querySelector<HTMLElement>("[data-writing]")!.hidden).toBe(false);
    live.hear({ type: "topic", last: 3, stamp: 6 });
    live.hear({ type: "topic", last: 3, stamp: 6 });
    await settle();
    live.hear({ type: "topic", last: 3, stamp: 6 });
    await settle();

    expect(ids()).toEqual(["p1", "p2", "p3"]);
    expect(calls).toEqual(["GET /forum/topics/1/posts?page=1&since=5&seen=1"]);
    expect(document.querySelector('[data-live="polite"]')!.textContent).toBe("1 new reply");
    expect(document.querySelector<HTMLElement>("[data-writing]")!.hidden).toBe(true);
  });

  it("tries again after a failure, and asks for everything if something is missing", async () => {
    const live = start(show(post("p1") + post("p2")));
    live.hear({ type: "topic", last: 3, stamp: 6 });
    await settle();
    expect(ids()).toEqual(["p1", "p2"]);
    answers = [
      () => new Response(part(7, 3, at("p1") + at("p7") + at("p2"))),
      () => new Response(part(7, 3, at("p1", post("p1")) + at("p7", post("p7")))),
    ];
    await settle(6_000);

    expect(ids()).toEqual(["p1", "p7"]);
    expect(calls.at(-1)).toBe("GET /forum/topics/1/posts?page=1&seen=1");
  });

  it("says how many replies are on later pages instead of adding them", async () => {
    const live = start(show(post("p1"), 30));
    const link = document.querySelector<HTMLAnchorElement>("[data-more]")!;
    for (const last of [32, 33]) {
      answers = [() => new Response(part(last, last, at("p1")))];
      live.hear({ type: "topic", last, stamp: last });
      await settle();
    }

    expect(link.textContent).toBe("3 new replies");
    expect(link.parentElement!.hidden).toBe(false);
    expect(document.querySelector('[data-live="polite"]')!.textContent).toBe("1 new reply");
  });

  it("shows a vote at once, and takes it back if it is refused", async () => {
    const page = start(show(post("p1")));
    const button = document.querySelector<HTMLButtonElement>("button")!;
    answers = [
      () => new Response(null, { status: 204 }),
      () => new Response(part(6, 1, at("p1"))),
      () => Response.json({ detail: "Not now" }, { status: 409 }),
    ];
    const first = page.press(button);
    expect([button.ariaPressed ?? button.getAttribute("aria-pressed"), button.value]).toEqual([
      "true",
      "0",
    ]);
    expect(button.querySelector(".num")!.textContent).toBe("3 found this helpful");
    await page.press(button); // still on its way
    await first;
    expect(calls).toHaveLength(2);

    await page.press(button);
    expect([button.getAttribute("aria-pressed"), button.value]).toEqual(["true", "0"]);
    expect(button.querySelector(".num")!.textContent).toBe("3 found this helpful");
    expect(document.body.textContent).toContain("Not now");
  });

  it("replies to a post, or to the topic again, without a new page", () => {
    const page = start(show(post("p7")));
    const line = document.querySelector<HTMLElement>("[data-reply-line]")!;
    Element.prototype.scrollIntoView = vi.fn();
    page.follow(document.querySelector<HTMLAnchorElement>("[data-reply]")!);
    expect(document.querySelector<HTMLInputElement>("[name=reply_to]")!.value).toBe("7");
    expect([line.hidden, line.querySelector("b")!.textContent]).toEqual([false, "Ada"]);
    expect(document.activeElement).toBe(document.querySelector("textarea"));

    line.querySelector("a")!.click();
    expect(document.querySelector<HTMLInputElement>("[name=reply_to]")!.value).toBe("");
    expect(line.hidden).toBe(true);
  });
});
