import { ChatPage, type PageProps } from "./ChatPage";
import { LessonPanel, type PanelProps } from "./LessonPanel";

type Props = ({ place: "page" } & PageProps) | ({ place: "lesson" } & PanelProps);

/** The tutor: on its page, or beside a lesson. */
export function Island(props: Props) {
  return props.place === "page" ? <ChatPage {...props} /> : <LessonPanel {...props} />;
}
