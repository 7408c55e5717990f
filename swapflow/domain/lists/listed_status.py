"""What a list says of an applicant's status, in the words of other systems."""

import unicodedata

from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.header_words import split_spellings
from swapflow.domain.people.plain_words import fold


_WORDS = {
    ApplicationStatus.WITHDRAWN: """
        withdrawn; withdrew; withdraw; application withdrawn; withdrawn by applicant;
        applicant withdrew; cancelled; canceled; retracted; dropped out; no longer interested;
        zuruckgezogen; bewerbung zuruckgezogen; ruckzug; zuruckgetreten; storniert; abgemeldet;
        retire; retiree; candidature retiree; desiste; desistement; annule; annulee;
        retirado; retirada; desistido; desistio; renuncio; anulada; anulado; cancelada; cancelado;
        ritirato; ritirata; annullata; annullato; ingetrokken; teruggetrokken; retirou; desistiu
    """,
    ApplicationStatus.INELIGIBLE: """
        ineligible; not eligible; non-eligible; nicht zugelassen; nicht teilnahmeberechtigt;
        nicht berechtigt; formal ausgeschieden; ineligible; non eligible; non recevable;
        irrecevable; no elegible; inelegible; non idoneo; non ammissibile
    """,
    ApplicationStatus.INCOMPLETE: """
        incomplete; not complete; not submitted; unsubmitted; draft; unvollstandig;
        nicht vollstandig; nicht eingereicht; entwurf; incomplet; incomplete; dossier incomplet;
        non soumis; brouillon; incompleto; incompleta; no enviado; no enviada; borrador; bozza;
        onvolledig
    """,
    ApplicationStatus.READY: """
        ready; complete; completed; submitted; received; active; in review; under review;
        vollstandig; eingereicht; eingegangen; aktiv; complet; complete; soumis; soumise; recu;
        completo; completa; enviado; enviada; recibido; recibida; activo; activa; inviata;
        ricevuta; compleet; ingediend
    """,
}
_KNOWN = {word: status for status, words in _WORDS.items() for word in split_spellings(words)}


def listed_status(text: str) -> ApplicationStatus | None:
    """Return the status that a word of a list means; None for a word that is not known.

    Case, accents and what stands around the word do not count. A word about a judgement, such as
    "rejected" or "shortlisted", is none: a status says who takes part, not how an applicant fared.
    """
    plain = fold(unicodedata.normalize("NFKC", text)).replace("_", " ")
    return _KNOWN.get(" ".join(plain.split()).strip(" .!*()[]"))
