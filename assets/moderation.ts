// The queues of moderators: J and K move through the rows, the letters on the buttons decide.
import { startQueueKeys } from "./moderation/queueKeys";

startQueueKeys(document);
