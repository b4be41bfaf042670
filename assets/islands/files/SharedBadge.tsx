import { Icon } from "../../shared/ui/Icon";
import type { FileItem } from "./api";

/** How a file is shared, as `shared_badge` of templates/files/_shared.html. */
export function SharedBadge({ file: { sharing } }: { file: FileItem }) {
  const { kind, label } = sharing;
  if (kind === "private") return <span className="muted">{label}</span>;
  if (kind === "course")
    return (
      <span className="badge badge--accent">
        <span className="pip pip--full" aria-hidden="true" />
        {label}
      </span>
    );
  return (
    <span className="badge">
      <Icon name="link" />
      {label}
    </span>
  );
}
