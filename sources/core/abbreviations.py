"""Words whose full stop does not end a sentence; lower case, without the last stop."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Before a number or a numeral only: "Art. 5" but "the work of art. It".
NUMBERED = _words("""
    liv cic plin tac caes verg ov matt marc luc ioh joh gal eph deut ier jer prov apoc
    no nos nr art arts abs par para sec sect fig figs eq vol vols ch chap cap p pp pg s ss bd col cols
    lib can cann n nn num ref tab app dist disp tit const lin ll ps cor rom ст гл стр рис табл п рис núm
    pág págs cap ص ج م""")
ABBREVIATIONS = _words("""
    mr mrs ms dr prof st ste sts sr jr rev hon gen col capt lt sgt maj gov sen rep pres mt ft dept univ
    assn bros vs cf ca approx viz ibid op cit seq esp e.g i.e eg ie ed eds trans resp incl excl al est
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri z.b d.h u.a u.ä
    bzw usw ggf evtl inkl exkl sog vgl str hl geb gest ca z bspw m mm mme mlle p.ex env av apr j.-c d.c
    a.c ee.uu sra srta ud uds dña d tib cn sp cos coss kal mio mrd scil q.v sc vid art tom cl imp consul
    q cn sex ser ti mam ap г гг в вв др т.е т.д т.п и.о им ул тыс млн млрд руб напр dott sig sig.ra
    prof.ssa ecc pag örn vb yy vd dç doç av nr dl dna șt str κ κα π.χ δηλ βλ αρ""") - frozenset(
    {"art", "mar", "est", "sex", "imp", "fri", "sen", "av"}
)
MONTHS = _words("""
    januar februar märz april mai juni juli august september oktober november dezember jänner january
    february march may june july october december januari februari maart mei augustus leden únor březen
    januarie ianuarie februarie martie aprilie jan feb mar apr jun jul aug sep sept okt oct nov dez dec
    jahrhundert jahrhunderts jahrhunderte century""")
# German writes ordinals with a full stop: "vom 4. Jahrtausend".
BEFORE_ORDINALS = _words(
    "am vom dem den der des das die zum zur bis im und oder ab seit jeden jedem dieser ihre sein"
)
