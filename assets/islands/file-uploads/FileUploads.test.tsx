import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { FakeTransport } from "../../shared/uploads/testing";
import { Transfers } from "../../shared/uploads/transfers";
import { FileUploads } from "./FileUploads";

const showFiles = vi.fn();
let transport: FakeTransport;

beforeEach(() => {
  transport = new FakeTransport();
  showFiles.mockClear();
});

function open(): void {
  render(
    <FileUploads
      transfers={new Transfers(transport)}
      transport={transport}
      target="library/abc"
      limit={100}
      showFiles={showFiles}
    />,
  );
}

const choose = (...files: File[]): Promise<void> =>
  userEvent.upload(screen.getByLabelText("Upload files"), files);
const file = (name: string, size = 10): File => new File([new Uint8Array(size)], name);

it("uploads into the folder and shows the new files when all have arrived", async () => {
  open();
  await choose(file("a.txt"), file("b.txt"));
  expect(transport.of("a.txt").target).toBe("library/abc");

  act(() => transport.of("a.txt").events.onDone());
  expect(showFiles).not.toHaveBeenCalled();
  act(() => transport.of("b.txt").events.onDone());

  expect(showFiles).toHaveBeenCalledOnce();
});

it("refuses a file that is too large and uploads the others", async () => {
  open();
  await choose(file("large.bin", 101), file("small.txt"));

  expect(screen.getByRole("alert").textContent).toContain("larger than");
  expect(transport.uploads.map((one) => one.file.name)).toEqual(["small.txt"]);
});

it("pauses, resumes and cancels an upload", async () => {
  open();
  await choose(file("a.txt"));
  await userEvent.click(screen.getByRole("button", { name: "Pause a.txt" }));
  expect(transport.of("a.txt").isStopped).toBe(true);

  await userEvent.click(screen.getByRole("button", { name: "Resume a.txt" }));
  expect(transport.uploads).toHaveLength(2);
  await userEvent.click(screen.getByRole("button", { name: "Cancel a.txt" }));

  expect(screen.queryByText("a.txt")).toBeNull();
  expect(showFiles).not.toHaveBeenCalled();
});
