import type { LiveTools } from "../editor/surface";
import { listTableActions, type TableAction } from "../editor/tableActions";
import { t } from "../i18n";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";

type Props = { live: LiveTools; tabIndex: number };

/** In the place of the toolbar's button for a new table, while the caret is in one. */
export function TableMenu({ live, tabIndex }: Props) {
  return (
    <Menu
      label={t("Table")}
      button={<Icon name="table" />}
      buttonClass="icon-btn icon-btn--sm"
      buttonTabIndex={tabIndex}
      items={listTableActions().map(({ id, label }) => ({ id, title: label }))}
      // Closing the menu returns the focus to its button first.
      onChoose={(id) => queueMicrotask(() => live.changeTable(id as TableAction))}
    />
  );
}
