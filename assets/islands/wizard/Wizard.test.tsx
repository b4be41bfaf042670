import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { createQueryClient } from "../../shared/queryClient";
import { createUnsavedStore } from "../../shared/saving/unsavedStore";
import { tokenFor } from "../../shared/testing/tokens";
import { Wizard, type WizardProps } from "./Wizard";

const checks = [
  {
    key: "title",
    label: "Title and category",
    is_met: true,
    is_required: true,
    href: "/e#id_title",
  },
  { key: "summary", label: "Summary", is_met: false, is_required: true, href: "/e#id_summary" },
  {
    key: "lessons",
    label: "At least one lesson",
    is_met: false,
    is_required: true,
    href: "/x/lectures",
  },
];
const values = {
  title: "Old",
  summary: "",
  description: "",
  subject: "maths",
  difficulty: "beginner",
  language: "en",
  outcomes: [] as string[],
  before_you_begin: "",
  prerequisites: [] as string[],
  pricing: { kind: "free", price: null },
  is_announced: false,
  plate_variant: 0,
};

const content = {
  course: { slug: "old", place: "description" as const },
  most: 100,
  limit: 1000,
  endpoint: "/u",
  nonce: "",
};

let sent: Record<string, { value: unknown; base: string }>[];

function props(): WizardProps {
  return {
    course: {
      uid: "7",
      slug: "old",
      status: "draft",
      badge: { label: "Draft", pip: "", tone: "" },
      locked: "",
      can_edit: true,
      can_submit: true,
      can_withdraw: false,
      values: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          { value, version: "1", edited_by: "", edited_at: null, client: "" },
        ]),
      ),
      checks,
      card_html: "<b>Card</b>",
    },
    user: "ada",
    subjects: [{ value: "maths", label: "Mathematics" }],
    difficulties: [{ value: "beginner", label: "Beginner", hint: "" }],
    languages: [{ value: "en", label: "English" }],
    prerequisites: [],
    pricings: [
      { value: "free", label: "Free", hint: "" },
      { value: "one_time", label: "One-time price", hint: "" },
    ],
    priceLabel: "Price in US Dollar",
    maxOutcomes: 12,
    hasPicture: false,
    upload: { endpoint: "/u", limit: 1000, maxZoom: 3 },
    description: content,
    beforeYouBegin: content,
    addresses: {
      list: "/l",
      lectures: "/x/lectures",
      promoCodes: "/c",
      course: "/k",
      preview: "/v",
    },
  };
}

beforeEach(() => {
  sent = [];
  localStorage.clear();
  location.hash = "";
  vi.stubGlobal(
    "WebSocket",
    class extends EventTarget {
      close() {
        // a socket that never opens
      }
      send() {
        // and hears nothing
      }
    },
  );
  Element.prototype.scrollIntoView = vi.fn();
  session.login(
    { id: "ada", username: "ada", email: "ada@example.com", role: "instructor" },
    tokenFor(900),
  );
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method !== "PATCH") return Response.json({ sections: [], version: 1 });
    const { fields } = (await request.json()) as { fields: (typeof sent)[number] };
    sent.push(fields);
    const outcomes = Object.entries(fields).map(([name, { value }]) => ({
      name,
      state: value === "bad" ? "refused" : "saved",
      problem: value === "bad" ? "Say a little more." : "",
      version: "2",
      value,
      edited_by: "",
      edited_at: null,
    }));
    return Response.json({ outcomes, checks, card_html: "<b>New card</b>" });
  });
});
afterEach(() => vi.unstubAllGlobals());

function open(typed: Record<string, unknown> = {}): void {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Wizard
        {...props()}
        typed={typed}
        kept={{ store: createUnsavedStore("ada", "7"), kept: [] }}
      />
    </QueryClientProvider>,
  );
}

it("saves a field by itself, and says saved only then", async () => {
  open();
  await userEvent.type(screen.getByLabelText("Title"), "er");
  expect(screen.getByText("On this device")).toBeDefined();
  await waitFor(() => expect(sent).toEqual([{ title: { value: "Older", base: "1" } }]), {
    timeout: 3000,
  });
  expect(await screen.findByText(/^Saved \d/)).toBeDefined();
  expect(screen.getByText("New card")).toBeDefined();
});

it("asks if what was typed before it was here differs from what the device kept", async () => {
  const at = Date.now() - 60_000;
  const kept = [{ title: { value: "Kept from yesterday", base: "1", baseValue: "Old", at } }];
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Wizard
        {...props()}
        kept={{ store: createUnsavedStore("ada", "7"), kept }}
        typed={{ title: "Oldx" }}
      />
    </QueryClientProvider>,
  );
  expect(screen.getByLabelText<HTMLInputElement>("Title").value).toBe("Oldx");
  expect(screen.getByText("Kept from yesterday")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Use the other one" }));
  expect(screen.getByLabelText<HTMLInputElement>("Title").value).toBe("Kept from yesterday");
});

it("leads from what is missing to its field", async () => {
  open();
  const list = screen.getByRole("region", { name: "Before review" });
  await userEvent.click(within(list).getByRole("button", { name: "Summary" }));
  expect(document.activeElement).toBe(screen.getByLabelText("One-sentence summary"));
  expect(location.hash).toBe("#details");
});

it("opens the line that a finding leads to", () => {
  history.replaceState(null, "", "?line=2#id_description");
  open({ description: "One\nTwo" });
  const field = screen.getByLabelText<HTMLTextAreaElement>("Description");
  expect(document.activeElement).toBe(field);
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe("Two");
  history.replaceState(null, "", location.pathname);
});

it("says at the field why it is not saved", async () => {
  open();
  await userEvent.clear(screen.getByLabelText("Title"));
  await userEvent.type(screen.getByLabelText("Title"), "bad");
  expect(await screen.findByText("Say a little more.", undefined, { timeout: 3000 })).toBeDefined();
  expect(screen.getByLabelText("Title").getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText("Not saved: Say a little more.")).toBeDefined();
});

it("adds, moves and removes outcomes by keyboard", async () => {
  open();
  await userEvent.click(screen.getByRole("link", { name: /^Details/ }));
  await userEvent.type(screen.getByLabelText("Outcome 1"), "One{Enter}");
  expect(document.activeElement).toBe(screen.getByLabelText("Outcome 2"));
  await userEvent.keyboard("Two");
  await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
  await waitFor(() =>
    expect(screen.getByLabelText<HTMLInputElement>("Outcome 1").value).toBe("Two"),
  );
  await userEvent.click(screen.getByRole("button", { name: "Remove outcome 2" }));
  await waitFor(() => expect(sent.at(-1)?.outcomes?.value).toEqual(["Two"]), { timeout: 3000 });
});

it("submits only what is complete", async () => {
  open();
  await userEvent.click(screen.getByRole("link", { name: /^Review/ }));
  expect(
    screen.getByRole<HTMLButtonElement>("button", { name: "Submit for review" }).disabled,
  ).toBe(true);
  expect(screen.getByText("Complete the required items before submitting.")).toBeDefined();
});
