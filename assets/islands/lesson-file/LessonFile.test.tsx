import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { createQueryClient } from "../../shared/queryClient";
import { tokenFor } from "../../shared/testing/tokens";
import { FakeTransport, fileOf } from "../../shared/uploads/testing";
import { Transfers } from "../../shared/uploads/transfers";
import type { FileLesson } from "./api";
import { LessonFile } from "./LessonFile";

const limits = { file: 2000, fileLabel: "2kB", videoLabel: "5kB" };
const handed = { upload: "7", filename: "slides.pdf", length: 900 };

let transport: FakeTransport;
let puts: unknown[];
let answer: () => Response;

beforeEach(() => {
  transport = new FakeTransport();
  puts = [];
  answer = () => Response.json({ uid: "lesson", file: handed });
  const user = {
    id: "ada",
    username: "ada",
    email: "ada@example.com",
    role: "instructor" as const,
  };
  session.login(user, tokenFor(900));
  vi.stubGlobal("fetch", async (request: Request) => {
    puts.push(await request.json());
    return answer();
  });
});

function open(file: FileLesson["file"] = null): void {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <LessonFile
        lesson={{ uid: "lesson", file }}
        limits={limits}
        choice="/choose"
        hint="Up to 2kB"
        transport={transport}
        transfers={new Transfers(transport)}
      />
    </QueryClientProvider>,
  );
}

async function arrive(name: string): Promise<void> {
  await userEvent.upload(screen.getByLabelText("Choose a file"), fileOf(name, 900));
  const { events } = transport.of(name);
  act(() => events.onCreated("http://site/api/v1/uploads/7/", null));
  act(() => events.onDone());
}

it("leads to the files of the user", () => {
  open();

  const link = screen.getByRole("link", { name: "Choose from your files" });
  expect(link.getAttribute("href")).toBe("/choose");
});

it("uploads the file for its lesson and attaches it", async () => {
  open();
  await arrive("slides.pdf");

  expect(await screen.findByRole("button", { name: "Remove slides.pdf" })).toBeDefined();
  expect(transport.of("slides.pdf").target).toBe("lesson");
  expect(puts).toEqual([{ upload: "7" }]);
  expect(transport.removed).toEqual([]);
});

it("says why a file was rejected and frees its storage", async () => {
  answer = () =>
    Response.json(
      { code: "FILE_UNSUITABLE", title: "x", status: 415, detail: "It is a page or a program" },
      { status: 415 },
    );
  open();
  await arrive("slides.pdf");

  expect((await screen.findByRole("alert")).textContent).toContain("It is a page or a program");
  expect(transport.removed).toEqual(["http://site/api/v1/uploads/7/"]);
  expect(screen.getByText("This lesson doesn't have a file yet.")).toBeDefined();
});

it("rejects a file that is too large or empty before a byte is sent", async () => {
  open();
  await userEvent.upload(screen.getByLabelText("Choose a file"), fileOf("big.zip", 2001));
  expect(screen.getByRole("alert").textContent).toContain("2kB");
  await userEvent.upload(screen.getByLabelText("Choose a file"), fileOf("none.zip", 0));
  expect(screen.getByRole("alert").textContent).toContain("has no content");

  expect(transport.uploads).toEqual([]);
});

it("pauses, resumes and cancels", async () => {
  open();
  await userEvent.upload(screen.getByLabelText("Choose a file"), fileOf("a.pdf", 900));
  act(() => transport.of("a.pdf").events.onCreated("/api/v1/uploads/7/", null));
  await userEvent.click(screen.getByRole("button", { name: "Pause upload of a.pdf" }));
  expect(transport.of("a.pdf").isStopped).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Resume upload of a.pdf" }));
  expect(transport.uploads).toHaveLength(2);

  await userEvent.click(screen.getByRole("button", { name: "Cancel upload of a.pdf" }));

  expect(transport.removed).toEqual(["/api/v1/uploads/7/"]);
  expect(screen.getByLabelText("Choose a file")).toBeDefined();
});

it("asks before it removes the file", async () => {
  answer = () => Response.json({ uid: "lesson", file: null });
  open(handed);
  await userEvent.click(screen.getByRole("button", { name: "Remove slides.pdf" }));
  expect(puts).toEqual([]);

  await userEvent.click(screen.getByRole("button", { name: "Remove" }));

  expect(await screen.findByText("This lesson doesn't have a file yet.")).toBeDefined();
  expect(puts).toEqual([{ upload: null }]);
});
