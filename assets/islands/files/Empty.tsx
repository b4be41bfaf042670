import { t } from "../../shared/i18n";

// The drawings of templates/components/empty.html.
const box = (
  <>
    <path d="M30 36h84v40H30zM30 36l10-18h64l10 18" />
    <path d="M58 36c0 8 6 14 14 14s14-6 14-14" />
    <path d="M46 26h52" strokeDasharray="2 4" />
  </>
);
const glass = (
  <>
    <circle cx="64" cy="40" r="24" />
    <path d="m82 57 20 20" />
    <path d="M50 40c4-8 12-11 19-9" strokeDasharray="2 4" />
    <path d="M112 20h16M108 30h12" />
  </>
);

/** Instead of an empty list. */
export function Empty({ q, isTop }: { q: string; isTop: boolean }) {
  const title = q ? t("Nothing found") : isTop ? t("No files yet") : t("This folder is empty");
  return (
    <div className="mt-6">
      <div className="empty panel">
        <svg
          className="empty__art"
          viewBox="0 0 144 90"
          aria-hidden="true"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        >
          {q ? glass : box}
        </svg>
        <h2 className="h4">{title}</h2>
        <p>
          {q
            ? t("No files here match “{text}”.", { text: q })
            : t("Drop files and folders here, or choose them with “Upload”.")}
        </p>
      </div>
    </div>
  );
}
