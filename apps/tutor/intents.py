"""What a message to the tutor wants, where it is no question about a course: a greeting, thanks, help, a quiz.

Only whole messages count, so that "What is a test statistic?" is never taken for "Test me". Greetings and thanks are
known in several languages, requests in English.
"""

import re
import unicodedata
from enum import StrEnum

from apps.tutor.arithmetic import expression_in
from studyplatform.kit.text.folding import fold

MAX_LENGTH = 160
"""Characters of a message that can be small talk or a request without an object."""


class Intent(StrEnum):
    """What a message wants."""

    GREETING = "greeting"
    THANKS = "thanks"
    GOODBYE = "goodbye"
    AGREEMENT = "agreement"
    ABOUT_TUTOR = "about_tutor"
    CONFUSED = "confused"
    SUMMARY = "summary"
    QUIZ = "quiz"
    CARDS = "cards"
    PLAN = "plan"
    CALCULATION = "calculation"


SMALL_TALK = frozenset({Intent.GREETING, Intent.THANKS, Intent.GOODBYE, Intent.AGREEMENT, Intent.ABOUT_TUTOR})
"""Answered without a search and without a model."""

_PLEASE = r"(?:(?:please|pls|just|now|hey|hi|hello|ok|okay|so|well|tutor)\s+)*"
_ASK = r"(?:(?:can|could|would|will) (?:you|u)\s+(?:please\s+)?|i(?:'d| would) like you to\s+|i want you to\s+)?"
_END = r"(?:\s+(?:please|pls|thanks|now|today|again|for me|tutor|then|first|quickly|briefly))*"
_THING = (
    r"(?:(?:the|this|that|my|our|a|an|whole|entire|current|last|latest)\s+)*"
    r"(?:course|lesson|class|unit|module|chapter|section|video|lecture|material|topic|content|everything|all|it|this"
    r"|that)"
)
_ABOUT_THING = rf"(?:\s+(?:of|on|about|for|from|in)\s+{_THING})?"


def _whole(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?:{one})" for one in patterns))


_PATTERNS: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (
        Intent.GREETING,
        _whole(
            r"(?:(?:oh|well|and|so)\s+)?(?:hi+|hey+|hello+|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening"
            r"|day))"
            r"(?:\s+(?:there|tutor|again|all|everyone|everybody|bot|ai|friend|buddy|teacher))*"
            r"(?:\s+(?:how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what(?:'s| is) up|nice to meet"
            r" you))?",
            r"(?:how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what(?:'s| is) up|sup|nice to meet you)",
        ),
    ),
    (
        Intent.THANKS,
        _whole(
            r"(?:(?:ok|okay|great|cool|nice|perfect|awesome|wow|oh|ah|got it|no|yes)\s+)*"
            r"(?:thanks+|thank (?:you|u)|thx|ty|tysm|cheers|much appreciated|appreciate it)"
            r"(?:\s+(?:a lot|a million|so much|very much|so|again|tutor|for (?:your|the|that|this|all)?\s*(?:help"
            r"|answer|explanation"
            r"|that|this|explaining|everything)|that (?:helps|helped|was helpful|was great)|great|you|bot|man"
            r"|dude))*",
            r"(?:that|this|it) (?:really |was |is )?(?:helps?|helped|helpful|great|perfect|useful)(?: a lot)?(?:"
            r" thanks| thank you)?",
        ),
    ),
    (
        Intent.GOODBYE,
        _whole(
            r"(?:ok(?:ay)?\s+)?(?:bye(?: bye)?|goodbye|good night|see (?:you|ya)(?: later| tomorrow| soon)?|cya"
            r"|later|ciao"
            r"|take care|have a (?:nice|good|great) (?:day|evening|one|weekend))(?:\s+(?:then|tutor|now|for now))?"
            r"|that(?:'s| is) (?:all|it)(?: for (?:now|today))?|i(?:'m| am) done(?: for (?:now|today))?"
        ),
    ),
    (
        Intent.AGREEMENT,
        _whole(
            r"(?:ok(?:ay)?|k|yes|yeah|yep|yup|no|nope|nah|sure|right|alright|all right|fine|good|great|cool|nice"
            r"|perfect|awesome"
            r"|interesting|i see|got it|i (?:got|get) it(?: now)?|understood|makes sense|that makes sense|i"
            r" understand(?: now)?"
            r"|aha?|oh|hm+|wow|lol|haha)(?:\s+(?:ok|okay|then|now|got it|great|good|cool|i see|makes sense))*",
        ),
    ),
    (
        Intent.ABOUT_TUTOR,
        _whole(
            rf"{_PLEASE}(?:who|what|which) (?:are|r) (?:you|u)(?: exactly| really)?",
            rf"{_PLEASE}what(?:'s| is) (?:your name|this|the (?:ai )?tutor)",
            rf"{_PLEASE}(?:so )?what (?:can|could|do) (?:you|u|i) (?:do|ask|help(?: me)? with|know)(?: here| you|"
            rf" me)?(?: for me)?",
            rf"{_PLEASE}(?:how|what) (?:can|could|do) (?:you|u) (?:help|work|answer|know)(?: me| things| that)?",
            rf"{_PLEASE}how (?:does|do) (?:this|it|the tutor|i use (?:this|you|the tutor|it)) ?(?:work)?",
            rf"{_PLEASE}(?:are|r) (?:you|u) (?:(?:a|an|really|even|the|just)\s+)*(?:human|person|real|robot|bot|ai"
            rf"|machine|chatbot"
            r"|chatgpt|gpt|claude|gemini|llm|language model|alive|there|teacher|tutor|computer|program)(?: or (?:a "
            r"|an )?\w+)?",
            r"(?:help|help me|i need help|can (?:you|u) help(?: me)?|menu|commands|start|info|\?)(?: please)?",
            r"(?:is anyone|anybody|anyone|is somebody|are you) (?:there|here)",
        ),
    ),
    (
        Intent.CONFUSED,
        _whole(
            rf"{_PLEASE}(?:sorry |but |still |and |honestly |because )*i (?:still |really |just |also )*(?:do not"
            rf"|don't|dont|can't|cannot|cant"
            r"|didn't|did not|never) (?:\w+ly )?(?:get|understand|follow|see|grasp|know what (?:that|this|you)"
            r" means?)"
            r"(?: (?:it|that|this|what you mean|anything|any of (?:it|this|that)|the answer|what (?:this|that) means"
            r"|your answer|why|how|you))?"
            r"(?: (?:at all|yet|still|sorry|either|really|all|so far))*",
            rf"{_PLEASE}(?:sorry |but |still |and )*i(?:'m|m| am) (?:(?:so|totally|really|still|completely|a bit"
            rf"|very|just|kind of|getting)\s+)*"
            r"(?:confused|lost|stuck|not (?:sure|following|getting it)(?: i (?:understand|follow|get it))?)(?:"
            r" (?:here|now|by (?:this|that|it)|with (?:this|that|it)))?",
            r"(?:huh|what|wut|eh|come again|pardon|say what|sorry|i(?:'m| am) sorry|excuse me)(?: what)?",
            rf"(?:{_PLEASE})(?:that|this|it|your answer)?\s*(?:makes?|made) no sense(?: to me| at all)*",
            rf"(?:{_PLEASE})(?:that|this|it)(?:'s| is| was| seems) (?:(?:too|so|very|really|way too|a bit|still"
            rf"|quite)\s+)*"
            r"(?:hard|difficult|complicated|confusing|unclear|complex|fast|much|abstract)(?: for me| to"
            r" (?:understand|follow))*",
            rf"{_PLEASE}{_ASK}(?:re)?(?:explain|say|tell me|put|describe|show me|try|go over)(?: (?:it|that|this|me"
            rf"|them|once|more|one more time))*"
            r"(?: (?:again|differently|better|more (?:simply|slowly|clearly)|simpler|slower|in (?:other|simple"
            r"|simpler|easier|different|plain) (?:words|terms|english|way)"
            r"|in (?:a |an )?(?:other|another|different|simpler|easier) way|in more detail|with an example|like"
            r" i(?:'m| am) (?:five|5)|step by step|once more|one more time))+" + _END,
            rf"{_PLEASE}(?:eli5|simpler|easier|slower|more (?:simply|slowly)|in simple(?:r)? (?:words|terms)|(?:an"
            rf"|another|give me an(?:other)?)? ?example){_END}",
            r"what (?:do|did) (?:you|u|that|this) mean(?: by (?:that|this|it))?|what does (?:that|this|it) mean"
            r"|meaning",
            rf"{_PLEASE}no i (?:mean|meant) .{{0,30}}|i need (?:more )?help(?: with (?:this|that|it))?",
        ),
    ),
    (
        Intent.SUMMARY,
        _whole(
            rf"{_PLEASE}{_ASK}(?:summari[sz]e|sum up|recap|outline|condense)(?:\s+{_THING})?{_ABOUT_THING}{_END}",
            rf"{_PLEASE}{_ASK}(?:give me|write|make|show me|i (?:want|need)|tell me|i(?:'d| would) like|do)\s+(?:a "
            rf"|an |the )?(?:\w+ )?"
            rf"(?:summary|overview|recap|outline|tl;?dr|gist|key points|main (?:points|ideas)|takeaways)"
            rf"{_ABOUT_THING}{_END}",
            rf"(?:a |the )?(?:\w+ )?(?:summary|overview|recap|tl;?dr|key points|main (?:points|ideas))"
            rf"{_ABOUT_THING}{_END}",
            rf"{_PLEASE}what(?:'s| is| are) (?:the )?(?:{_THING}|main (?:points|ideas)|key points)(?: all)?(?:"
            rf" about)?{_ABOUT_THING}{_END}",
        ),
    ),
    (
        Intent.QUIZ,
        _whole(
            rf"{_PLEASE}{_ASK}(?:test|quiz|examine|grill|check) (?:me|my (?:knowledge|understanding))(?: a bit| a"
            rf" little)?{_ABOUT_THING}{_END}",
            rf"{_PLEASE}{_ASK}(?:ask|give|make|write|create|show) (?:me )?(?:(?:a|an|some|a few|another|more|the"
            rf"|practice|quiz|test|review|\d{{1,2}})\s+)*"
            rf"(?:quiz(?:zes)?|test|questions?|exam|exercises?|practice){_ABOUT_THING}{_END}",
            rf"{_PLEASE}(?:i (?:want|need|would like|wanna)|i'd like|let(?:'s| us|s)) (?:to )?(?:practi[cs]e|be"
            rf" tested|take a (?:quiz|test)|a quiz|do (?:a )?(?:quiz|test)){_ABOUT_THING}{_END}",
            rf"(?:quiz|practice questions|quiz time){_END}",
        ),
    ),
    (
        Intent.CARDS,
        _whole(
            rf"{_PLEASE}{_ASK}(?:make|create|give|write|generate|show|build)(?: me)? (?:(?:some|a few|the|a set"
            rf" of)\s+)*(?:flash ?|memory |index )?cards{_ABOUT_THING}{_END}",
            rf"flash ?cards{_ABOUT_THING}{_END}",
        ),
    ),
    (
        Intent.PLAN,
        _whole(
            rf"{_PLEASE}{_ASK}(?:make|create|give|write|build|set up)(?: me)? (?:a|my) (?:(?:study|learning|weekly"
            rf"|daily)\s+)*(?:plan|schedule|routine)"
            rf"(?: (?:for|of) (?:me|this|next|the|today|tomorrow|week|month|day)+(?: week| month)?)?{_END}",
            rf"{_PLEASE}{_ASK}plan (?:my|the|this) (?:week|day|studies|learning|study)(?:\s+\w+)?{_END}",
            rf"{_PLEASE}what (?:should|do|can|must|shall) i (?:do|study|learn|read|watch|work on|take|start with"
            rf"|review)(?: next| now| today| first| this week)+{_END}",
            rf"(?:{_PLEASE})what(?:'s| is| comes) next(?: for me)?|where (?:should|do) i (?:start|begin|continue)(?:"
            rf" today| now)?|what now",
        ),
    ),
)
_PHRASES: dict[Intent, tuple[str, ...]] = {
    Intent.GREETING: (
        *("hola", "buenos días", "buenas tardes", "buenas noches", "hallo", "guten Tag", "guten Morgen", "guten Abend"),
        *("servus", "moin", "bonjour", "salut", "bonsoir", "ciao", "buongiorno", "buonasera", "olá", "oi", "bom dia"),
        *("boa tarde", "boa noite", "hej", "hei", "cześć", "dzień dobry", "ahoj", "dobrý den", "szia", "merhaba"),
        *("selam", "xin chào", "привет", "здравствуйте", "здравствуй", "добрый день", "привіт", "γεια", "γεια σου"),
        *("γεια σας", "καλημέρα", "こんにちは", "おはよう", "おはようございます", "こんばんは", "안녕", "안녕하세요"),
        *("你好", "您好", "مرحبا", "السلام عليكم", "שלום", "नमस्ते", "สวัสดี"),
    ),
    Intent.THANKS: (
        *("gracias", "muchas gracias", "danke", "danke schön", "danke sehr", "vielen Dank", "merci", "merci beaucoup"),
        *("grazie", "grazie mille", "obrigado", "obrigada", "muito obrigado", "muito obrigada", "tack", "takk", "tak"),
        *("kiitos", "dziękuję", "dzięki", "děkuji", "köszönöm", "teşekkürler", "teşekkür ederim", "cảm ơn"),
        *("спасибо", "большое спасибо", "дякую", "ευχαριστώ", "ありがとう", "ありがとうございます", "감사합니다"),
        *("고마워", "고마워요", "谢谢", "谢谢你", "謝謝", "شكرا", "תודה", "धन्यवाद", "ขอบคุณ"),
    ),
    Intent.GOODBYE: (
        *("adiós", "hasta luego", "tschüss", "auf Wiedersehen", "au revoir", "arrivederci", "tchau", "até logo"),
        *("пока", "до свидания", "さようなら", "再见", "안녕히 가세요"),
    ),
}
_INTENTS = {fold(one): intent for intent, several in _PHRASES.items() for one in several}
_TYPOGRAPHIC = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'"})
_ENDS = re.compile(r"^[\s.,;:!?¡¿…\"“”«»()*_~-]+|[\s.,;:!…\"“”«»*_~-]+$")


def intent_of(message: str) -> Intent | None:
    """Return what a whole message wants; None for a question to be answered from the course."""
    if len(message) > MAX_LENGTH:
        return None
    text = _plain(message)
    if not text:
        return None
    if expression_in(message):
        return Intent.CALCULATION
    words = re.sub(r"\s+", " ", re.sub(r"[.,;:!?…]+(?=\s|$)", " ", text)).strip() or text
    known = _INTENTS.get(words)
    return known or next((intent for intent, pattern in _PATTERNS if pattern.fullmatch(words)), None)


def _plain(message: str) -> str:
    """The message folded, without pictures and the signs around it."""
    text = fold(message.translate(_TYPOGRAPHIC)).lower()
    text = "".join(char for char in text if unicodedata.category(char) not in {"So", "Sk", "Cf", "Co", "Cn", "Cs"})
    return " ".join(_ENDS.sub("", text).split())
