import { useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { Menu } from "../../shared/ui/Menu";

type Props = { onNewFolder: () => void; onFiles: (files: File[]) => void };

/** The buttons beside the page's title, in place of those that work without scripts. */
export function HeadActions({ onNewFolder, onFiles }: Props) {
  const [place, setPlace] = useState<Element | null>(null);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const found = document.querySelector("[data-files-actions]");
    found?.replaceChildren();
    setPlace(found);
  }, []);

  const input = (label: string, ref: typeof files, isFolder = false) => (
    <input
      ref={(element) => {
        ref.current = element;
        if (element) element.webkitdirectory = isFolder;
      }}
      type="file"
      hidden
      multiple
      aria-label={label}
      onChange={({ target }) => {
        const chosen = [...(target.files ?? [])];
        target.value = ""; // the same file may be chosen again
        onFiles(chosen);
      }}
    />
  );
  const buttons = (
    <>
      <button className="btn" type="button" onClick={onNewFolder}>
        <Icon name="folder-plus" />
        {t("New folder")}
      </button>
      <Menu
        label={t("Upload")}
        button={
          <>
            <Icon name="upload" />
            {t("Upload")}
          </>
        }
        buttonClass="btn btn--primary"
        items={[
          {
            id: "files",
            title: (
              <>
                <Icon name="file" />
                {t("Files")}
              </>
            ),
          },
          {
            id: "folder",
            title: (
              <>
                <Icon name="folder-up" />
                {t("A whole folder")}
              </>
            ),
          },
        ]}
        onChoose={(id) => (id === "files" ? files : folder).current?.click()}
      />
      {input(t("Upload files"), files)}
      {input(t("Upload a folder"), folder, true)}
    </>
  );
  return place && createPortal(buttons, place);
}
