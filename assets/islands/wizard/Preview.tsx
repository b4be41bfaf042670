import { useEffect, useRef, useState } from "react";

import { t } from "../../shared/i18n";

type Props = {
  cardHtml: string;
  /** As it is typed, before the server has drawn the card with it. */
  title: string;
  /** The course page for a frame. */
  address: string;
  /** Changes with each save: the page is drawn again. */
  savedAt: number | null;
};

/** How learners will see the course: its card, and its page at the width of a phone. */
export function Preview({ cardHtml, title, address, savedAt }: Props) {
  const [view, setView] = useState<"card" | "page">("card");
  return (
    <section aria-labelledby="wizard-preview">
      <div className="row row--between wizard__views">
        <h2 className="small faint" id="wizard-preview">
          {t("As learners will see it")}
        </h2>
        <div className="seg" role="group" aria-labelledby="wizard-preview">
          <button type="button" aria-pressed={view === "card"} onClick={() => setView("card")}>
            {t("Card")}
          </button>
          <button type="button" aria-pressed={view === "page"} onClick={() => setView("page")}>
            {t("Page")}
          </button>
        </div>
      </div>
      {view === "card" ? (
        <Card html={cardHtml} title={title} />
      ) : (
        <Page address={address} savedAt={savedAt} />
      )}
    </section>
  );
}

function Card({ html, title }: { html: string; title: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current) place.current.innerHTML = html;
  }, [html]);
  useEffect(() => {
    const heading = place.current?.querySelector(".course__title");
    const shown = heading?.querySelector("a") ?? heading;
    if (shown && title.trim() !== "" && shown.textContent.trim() !== title.trim())
      shown.textContent = title;
  }, [html, title]);
  // A card is a link to the course page, which is beside it.
  return <div ref={place} className="wizard__card" inert />;
}

const AFTER_SAVE_MS = 700;

function Page({ address, savedAt }: { address: string; savedAt: number | null }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const scroll = useRef(0);
  const [isLoaded, setLoaded] = useState(false);
  const first = useRef(savedAt);
  useEffect(() => {
    if (savedAt === first.current) return undefined;
    const timer = setTimeout(() => {
      const shown = frame.current?.contentWindow;
      if (!shown) return;
      scroll.current = shown.scrollY;
      shown.location.reload();
    }, AFTER_SAVE_MS);
    return () => clearTimeout(timer);
  }, [savedAt]);
  return (
    <div className="wizard__page">
      <div className="wizard__phone" data-loaded={isLoaded ? "" : undefined}>
        <iframe
          ref={frame}
          src={address}
          title={t("The course page")}
          tabIndex={-1}
          onLoad={({ currentTarget: { contentDocument, contentWindow } }) => {
            setLoaded(true);
            contentWindow?.scrollTo(0, scroll.current);
            // It is to look at: links and forms lead away from it.
            for (const kind of ["click", "submit", "keydown"])
              contentDocument?.addEventListener(kind, (event) => event.preventDefault(), true);
          }}
        />
      </div>
    </div>
  );
}
