import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";

import { onDemand } from "./onDemand";

const Part = ({ name }: { name: string }) => <p>Part of {name}</p>;

function open(load: () => Promise<typeof Part>) {
  const Wanted = onDemand(load);
  const heard = { onShown: vi.fn(), onFailed: vi.fn() };
  render(
    <>
      <input aria-label="Text" defaultValue="typed" />
      <Wanted
        name="Ada"
        {...heard}
        instead={({ hasFailed, onRetry }) =>
          hasFailed ? <button onClick={onRetry}>Try again</button> : <p>On its way</p>
        }
      />
    </>,
  );
  return { Wanted, ...heard };
}

it("shows a part once its code is there", async () => {
  const { onShown } = open(() => Promise.resolve(Part));
  expect(screen.getByText("On its way")).toBeDefined();
  expect(onShown).not.toHaveBeenCalled();
  expect(await screen.findByText("Part of Ada")).toBeDefined();
  expect(onShown).toHaveBeenCalledTimes(1);
});

it("takes nothing else from the page when it fails, and tries again", async () => {
  const load = vi.fn<() => Promise<typeof Part>>().mockRejectedValue(new TypeError("offline"));
  const { onFailed } = open(load);
  const retry = await screen.findByRole("button", { name: "Try again" });
  expect(screen.getByLabelText<HTMLInputElement>("Text").value).toBe("typed");
  expect(onFailed).toHaveBeenCalledTimes(1);
  await userEvent.click(retry);
  expect(load).toHaveBeenCalledTimes(2);
  load.mockResolvedValue(Part);
  act(() => void dispatchEvent(new Event("online")));
  expect(await screen.findByText("Part of Ada")).toBeDefined();
});

it("can be fetched before it is shown, once", async () => {
  const load = vi.fn(() => Promise.resolve(Part));
  const Wanted = onDemand(load);
  expect(await Promise.all([Wanted.fetch(), Wanted.fetch()])).toEqual([true, true]);
  render(<Wanted name="Ada" />);
  expect(screen.getByText("Part of Ada")).toBeDefined();
  expect(load).toHaveBeenCalledTimes(1);
});
