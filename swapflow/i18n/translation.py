"""Messages in the language of their reader: the edge at which a code becomes a sentence."""

from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from babel.dates import format_skeleton, format_time
from babel.numbers import format_decimal

from swapflow.i18n.formatting import date_of, is_english
from swapflow.i18n.languages import current_language, gettext, ngettext
from swapflow.messages import Message, MessageFormat


class _Translated(MessageFormat):
    """Words messages in the language that is spoken."""

    def sentence(self, text: str) -> str:
        return gettext(text)

    def counted(self, one: str, many: str, count: int) -> str:
        return ngettext(one, many, count)

    def number(self, value: float, form: str) -> str:
        plainly = format(value, form)
        if is_english(current_language()):
            return plainly
        try:
            exact = Decimal(plainly.replace(",", ""))
        except InvalidOperation:
            return plainly
        return format_decimal(exact, locale=current_language().locale, decimal_quantization=False)

    def moment(self, value: object, form: str) -> str:
        language = current_language()
        if is_english(language) or not isinstance(value, date):
            return format(value, form)
        if not isinstance(value, datetime):
            return date_of(value)
        day = format_skeleton("yMMMEd", value, tzinfo=value.tzinfo, locale=language.locale)
        time = format_time(value, "short", tzinfo=value.tzinfo, locale=language.locale)
        return f"{day}, {time}"


_TRANSLATED = _Translated()


def translate(text: str) -> str:
    """Return a text in the language that is spoken.

    A message is worded from its code and parameters; of other texts the constants that are
    marked for translators have one, and the rest stays as it is: names, what people typed, and
    sentences that an older release stored.
    """
    return text.worded(_TRANSLATED) if isinstance(text, Message) else gettext(text)
