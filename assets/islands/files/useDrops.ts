import { useEffect, useRef, useState } from "react";

import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { droppedFiles } from "../../shared/uploads/paths";
import { dropAt, markDrop } from "./drops";

/** Take files from the desktop that are dropped on the page; the uid is that of the folder below the pointer. */
export function useDrops(onFiles: (files: File[], folder: string | undefined) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean =>
      (event.dataTransfer?.types.includes("Files") ?? false) &&
      !document.querySelector("dialog[open]");
    const below = ({ target }: Event): HTMLElement | null => {
      const found = target instanceof Element ? dropAt(target) : null;
      return found?.dataset["drop"] === "bin" ? null : found;
    };
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      const found = below(event);
      markDrop(found);
      setOver(found === null);
    };
    const end = (): void => {
      markDrop(null);
      setOver(false);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) end();
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      const folder = below(event)?.dataset["drop"];
      end();
      void droppedFiles(event.dataTransfer).then(({ files, unreadable }) => {
        if (unreadable.length > 0)
          toast(t("Can't be read: {names}", { names: unreadable.join(", ") }), {
            icon: "circle-alert",
            stays: true,
          });
        if (files.length > 0) latest.current(files, folder);
      });
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      end();
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
