import { useSyncExternalStore } from "react";

/** What the textarea contains now. */
export function useField(field: HTMLTextAreaElement): string {
  return useSyncExternalStore(
    (listener) => {
      field.addEventListener("input", listener);
      return () => field.removeEventListener("input", listener);
    },
    () => field.value,
  );
}
