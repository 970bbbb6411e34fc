"""Words around the options that an answer picks, of all languages at once: answers are short, and
their writers mix languages freely. Lower case, without accents."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPENING = _set(
    """
    yes yep yup yeah ya ok okay k sure right great good cool nice perfect fine alright no nope nah well hmm hm
    oh so and then please pls just definitely probably maybe think i'd i'll i i'm say let's lets going go
    agree agreed also def we should both id ill my vote answer
    ja jo nein noe gut dann bitte also ich lieber eher klar vielleicht nehmen wir machen
    si vale dale claro bueno mejor creo que entonces pues voy vamos
    oui ouais non nan bon alors plutot je on pense donc vas pars va
    sim beleza nao acho vou vamos entao fico melhor
    да давай нет ну лучше тогда я думаю наверное
    好 的 行 嗯 那 就 我 吧 可 以 觉 得 想 还 是
    はい うん じゃあ では なら
    , - ( ) " ' * : …
    """
)
"""Words that may stand before a label without making it anything else."""

LEADING = _set(
    """
    with for prefer choose pick take do vote like want select picking choosing taking favor favour leaning towards
    mit fuer nimm nehme bevorzuge waehle
    con prefiero elijo escojo
    avec prends choisis prefere sur pour
    com de prefiro escolho
    за возьми берем выбираю предпочитаю
    选 用 要 按 选择 選
    は
    """
)
"""Words after which a lone letter or number is a label."""

DROPPING = _set(
    "not except without skip drop minus excluding nicht ausser ohne excepto salvo menos sauf sans exceto кроме без не 不 别 除 以外"
)
"""Words after which an option is one that is not wanted."""

STOPS = _set(". ! ; ? but aber pero mais mas но 但 。 ！ ； ？")
"""Where a new statement begins."""

JOINING = _set("- and & + , / plus also und y et e и 和 跟 、 ， と")
"""What stands between the options of a list."""

ARTICLES = _set("the my die der das den la el las los le les a o as os 第")

KINDS = _set(
    """
    option options choice approach variant version alternative number no. # one ones solution plan proposal
    suggestion candidate design answer idea way
    variante nummer nr moeglichkeit loesung vorschlag opcion alternativa variant
    l'option proposition opcao вариант опция номер 方案 选项 方 案 选 项 案 プラン 番 个 种
    """
)
"""What an option is called."""

STRONG_KINDS = _set(
    "option options number choice alternative variante nummer opcion l'option opcao вариант опция номер 案"
)
"""Those that are hardly ever counted themselves: "option 2 files" is no answer."""

NUMBERS = {
    word: str(value)
    for value, words in enumerate(
        ("one 1", "two 2 zwei dos deux dois два", "three 3 drei tres trois", "four 4", "five 5"), 1
    )
    for word in words.split()
}
"""Words for the number of an option, after what it is called."""

ORDINALS = {
    word: label
    for label, words in {
        "1": "first 1st former erste ersten erster erstes erstere ersteres primera primero primer premiere "
        "premier primeira primeiro первый первая первое первую первого",
        "2": "second 2nd zweite zweiten zweiter zweites segunda segundo deuxieme seconde второй вторая "
        "второе вторую второго",
        "3": "third 3rd dritte dritten dritter drittes tercera tercero troisieme terceira terceiro третий "
        "третья третье третью",
        "4": "fourth 4th vierte vierten cuarta cuarto quatrième quarto четвертый",
        "5": "fifth 5th fuenfte quinta quinto",
        "*last*": "last latter letzte letzten letztes letztere letzteres ultima ultimo "
        "derniere dernier последний последняя последнюю последнее",
    }.items()
    for word in words.split()
}

GROUPS = {
    word: label
    for label, words in {
        "*both*": "both beide beides beiden ambas ambos оба обе",
        "*all*": "all everything alle alles todas todos tous toutes tudo все",
        "*none*": "neither none keins keine weder ninguna ninguno aucun aucune nenhum nenhuma",
    }.items()
    for word in words.split()
}

PAIRS = {
    pair: label
    for label, pairs in {
        "*both*": "las dos; los dos; les deux; os dois; as duas",
        "*none*": "ни один; ни одного; ни одна; weder noch",
    }.items()
    for pair in pairs.split("; ")
}
"""The same in two words."""

DENSE = {
    phrase: f" {plain} "
    for plain, phrases in {
        "both": "两个都要 两个都 兩個都 两者都 都要 两个 両方とも 両方 どちらも どっちも",
        "all": "全部 全都 すべて 全て ぜんぶ",
        "none": "两个都不要 两个都不 都不要 都不行 どれも",
        "option 1": "第一个 第一种 第一個 第一種 前者 方案一 一つ目 1つ目 最初の 一番目",
        "option 2": "第二个 第二种 第二個 第二種 后者 後者 方案二 二つ目 2つ目 二番目",
        "option 3": "第三个 第三种 第三個 第三種 方案三 三つ目 3つ目 三番目",
        "the last one": "最后一个 最後一個 最後の",
    }.items()
    for phrase in phrases.split()
}
"""The same in scripts without spaces, and the English words for it."""

OF_THEM = _set(
    "of them those these it the above three two four five options drei vier davon varianten optionen of "
)
"""What may follow a group without narrowing it."""

JUDGING = _set(
    "is are sounds sound looks look seems feels fits would ist klingt passt es me suena parece est parece"
)
PRAISE = _set(
    """
    better best fine good ok okay the it right my what great nice perfect simpler cleaner us me like more a be
    most acceptable cool preferable besser gut am uns mir mejor bien bom melhor mieux bien lo
    """
)
"""What follows a label and a verb of judging where the label was picked."""

TRAILING = _set(
    """
    and & but with please pls works work then for because since first if too though although however i it that
    yes yep yup ok so let's lets definitely makes instead only sure thanks now again obviously we better best
    und aber bitte mit weil ohne y pero porfa por con et mais stp svp avec parce e mas com porque и но пожалуйста
    吧 就 更 比 好 行 因 但 方 で が に の だ です 案 番 を と も お は
    """
)
"""Words that may follow a label without it counting them."""
