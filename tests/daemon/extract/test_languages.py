"""Answers, rules and refusals in the languages covered, and which language a text is in."""

import re

import pytest

from ctxd.extract.acts import acts, labels, language
from ctxd.extract.cues.lexicon import KINDS
from ctxd.extract.cues.tables import COVERED, phrases, table_of

SHOWN = {
    "de": {
        "approve": """
            ja
            jo
            jo mach
            passt
            passt so
            ja bitte
            klar
            genau
            mach das so
            klingt gut
            sieht gut aus
            einverstanden
            gute Idee
            so machen wir das
            von mir aus
            gefällt mir
            leg los
            ok
            alles klar
            für mich ok
            finde ich gut
            nehmen wir so
            wie vorgeschlagen
            """,
        "choose": """
            B
            nimm Variante 2
            die zweite
            lieber die erste Option
            beide
            ich bin für A
            Option B bitte
            das letzte
            keine von beiden
            """,
        "refuse": """
            nein
            nö
            noe
            nee
            lass das
            nein danke
            lieber nicht
            mach das rückgängig
            mach das rueckgaengig
            nimm das wieder raus
            gefällt mir nicht
            das brauchen wir nicht
            zu kompliziert
            auf keinen Fall
            bin dagegen
            das lassen wir lieber
            ich will hier keine zweite Bibliothek
            """,
        "correct": """
            das ist falsch
            so habe ich das nicht gemeint
            nein, ich meinte die andere Datei
            du hast die Tests vergessen
            falscher Branch
            hast du die Datei überhaupt gelesen?
            warum hast du das geändert?
            stimmt nicht, der Port ist 80
            ich hatte doch gesagt nur lesen
            """,
        "constrain": """
            nie direkt auf main pushen
            immer erst die Tests laufen lassen
            bitte keine neuen Abhängigkeiten
            bitte keine neuen abhaengigkeiten
            ab jetzt immer mit Docstring
            das muss offline laufen
            die Schnittstelle bitte nicht ändern
            nur die Standardbibliothek
            höchstens drei Versuche
            achte darauf dass es unter Python 3.9 geht
            lass die Namen so wie sie sind
            grundsätzlich Tabs
            hör auf Kommentare hinzuzufügen
            der Schlüssel darf nie im Log stehen
            """,
        "decide": """
            nutze lieber sqlite statt json
            nenn es worker
            können wir das umbenennen?
            wie wäre es mit einer Queue?
            warum nicht einfach ein Set?
            es sollte blau sein
            ich hätte gern einen dunklen Modus
            sollten wir das nicht aufteilen?
            wir nehmen postgres
            vielleicht sollten wir beide zusammenlegen
            """,
        "scope": """
            erstmal nicht
            das gehört nicht in diesen PR
            vorerst ohne Tests
            das ist egal
            eigener PR
            das ist ein Randfall
            noch keine Oberfläche
            reicht fürs Erste
            """,
        "defer": """
            später
            machen wir später
            nicht jetzt
            mach dafür ein Ticket
            verschieben wir auf morgen
            im nächsten Sprint
            """,
        "ask": """
            was macht diese Funktion?
            warum ist das so langsam?
            kannst du mir das erklären?
            wie geht das?
            """,
        "report": """
            es geht immer noch nicht
            der Test schlägt fehl
            funktioniert jetzt
            ich bekomme einen Fehler
            """,
        "command": """
            führ die Tests aus
            mach weiter
            committe das
            bitte pushen
            weiter
            """,
    },
    "es": {
        "approve": """
            sí
            si, hazlo
            vale
            dale
            claro
            perfecto
            de acuerdo
            suena bien
            me gusta
            me parece bien
            adelante
            hazlo así
            buena idea
            ok
            exacto
            por mí bien
            está bien
            """,
        "choose": """
            B
            la segunda
            opción 2
            ambas
            me quedo con la primera
            prefiero la B
            las dos
            ninguna de las dos
            voy con la 2
            """,
        "refuse": """
            no
            no, gracias
            mejor no
            no me gusta
            deshaz eso
            quítalo
            olvídalo
            olvidalo
            no lo hagas
            no quiero otra dependencia
            es demasiado complicado
            vuelve atrás
            revierte el cambio
            no vale la pena
            """,
        "correct": """
            eso no es lo que pedí
            no era eso
            te equivocaste de archivo
            está mal
            ya te dije que no
            leíste el archivo?
            por qué cambiaste el nombre?
            olvidaste los tests
            me refería al otro servicio
            """,
        "constrain": """
            nunca subas a main
            no toques la base de datos
            siempre ejecuta los tests antes
            sin nuevas dependencias
            a partir de ahora usa tabs
            debe funcionar sin red
            asegúrate de que pasen los tests
            solo la biblioteca estándar
            déjalo como está
            como máximo tres intentos
            no debe aparecer la clave en el log
            """,
        "decide": """
            usa sqlite en vez de json
            llámalo worker
            podríamos renombrarlo?
            y si usamos una cola?
            por qué no lo guardamos en disco?
            prefiero un solo archivo
            debería ser azul
            mejor con un set
            """,
        "scope": """
            fuera de alcance
            por ahora no
            eso no entra en este PR
            es un caso límite
            en otro PR
            no importa
            con eso basta
            """,
        "defer": """
            luego
            más tarde
            lo dejamos para después
            ahora no
            abre un issue
            """,
        "ask": """
            qué hace esta función?
            por qué falla?
            puedes explicarme el cambio?
            """,
        "report": """
            sigue fallando
            me sale un error
            ya funciona
            """,
        "command": """
            ejecuta los tests
            haz commit
            continúa
            revisa el log
            """,
    },
    "fr": {
        "approve": """
            oui
            ouais
            d'accord
            vas-y
            ok pour moi
            ça me va
            ca marche
            parfait
            bonne idée
            fais comme ça
            c'est bon
            cest bon
            on part là-dessus
            je suis d'accord
            très bien
            exactement
            comme proposé
            """,
        "choose": """
            B
            la deuxième
            l'option 2
            les deux
            je prends la première
            plutôt la B
            aucune des deux
            va pour la 2
            """,
        "refuse": """
            non
            nan
            nan laisse tomber
            laisse tomber
            non merci
            annule ça
            enlève ça
            je n'aime pas
            j'aime pas trop
            pas besoin
            trop compliqué
            reviens en arrière
            mauvaise idée
            je ne veux pas de cette dépendance
            """,
        "correct": """
            ce n'est pas ce que je voulais
            c'est pas ce que j'ai demandé
            c'est faux
            mauvais fichier
            tu as oublié les tests
            tu as lu le fichier ?
            pourquoi tu as changé le nom ?
            je parlais de l'autre service
            j'avais dit en lecture seule
            """,
        "constrain": """
            ne touche pas à la base
            jamais de push sur main
            toujours lancer les tests avant
            pas de nouvelles dépendances
            pas de nouvelles dependances stp
            à partir de maintenant utilise des tabs
            ça doit marcher hors ligne
            assure-toi que les tests passent
            uniquement la bibliothèque standard
            laisse le nom tel quel
            trois essais au maximum
            la clé ne doit jamais apparaître
            """,
        "decide": """
            utilise sqlite au lieu de json
            on pourrait le renommer ?
            et si on utilisait une file ?
            pourquoi pas un set ?
            je préfère un seul fichier
            ça devrait être bleu
            plutôt un dictionnaire
            appelle-le worker
            """,
        "scope": """
            hors périmètre
            pas pour l'instant
            dans une autre PR
            c'est un cas limite
            peu importe
            on verra plus tard
            ça suffit pour l'instant
            """,
        "defer": """
            plus tard
            pas maintenant
            on verra demain
            crée un ticket
            """,
        "ask": """
            pourquoi ça plante ?
            qu'est-ce que ça fait ?
            tu peux m'expliquer ?
            comment ça marche ?
            """,
        "report": """
            ça ne marche toujours pas
            j'ai une erreur
            ça marche maintenant
            """,
        "command": """
            lance les tests
            continue
            commite et pousse
            vérifie le log
            """,
    },
    "pt": {
        "approve": """
            sim
            beleza
            blz
            claro
            pode fazer
            bora
            manda ver
            isso mesmo
            tá bom
            parece bom
            concordo
            boa ideia
            vai em frente
            gostei
            perfeito
            ok
            faz assim
            """,
        "choose": """
            B
            a segunda
            opção 2
            ambas
            vou de B
            fico com a primeira
            os dois
            nenhuma das duas
            """,
        "refuse": """
            não
            nao
            não, obrigado
            melhor não
            desfaz isso
            tira isso
            esquece
            deixa pra lá
            não gostei
            não quero outra dependência
            muito complicado
            volta como estava
            reverte isso
            não vale a pena
            """,
        "correct": """
            não foi isso que eu pedi
            não é isso
            tá errado
            arquivo errado
            você esqueceu os testes
            vc leu o arquivo?
            por que você mudou o nome?
            eu falei só leitura
            eu quis dizer o outro serviço
            """,
        "constrain": """
            nunca commita na main
            não mexe no banco
            sempre roda os testes antes
            sem novas dependências
            sem novas dependencias
            a partir de agora usa tabs
            tem que funcionar offline
            garanta que os testes passem
            só a biblioteca padrão
            deixa como está
            no máximo três tentativas
            a chave não pode aparecer no log
            """,
        "decide": """
            usa sqlite em vez de json
            a gente podia renomear?
            e se a gente usar uma fila?
            por que não usar um set?
            prefiro um arquivo só
            deveria ser azul
            melhor usar um dicionário
            chama de worker
            """,
        "scope": """
            fora do escopo
            por enquanto não
            em outro PR
            é um caso extremo
            tanto faz
            isso basta por enquanto
            """,
        "defer": """
            depois
            mais tarde
            agora não
            deixa pra depois
            abre uma issue
            """,
        "ask": """
            o que isso faz?
            por que falha?
            pode me explicar?
            """,
        "report": """
            ainda não funciona
            deu erro
            continua falhando
            """,
        "command": """
            roda os testes
            faz o commit
            continua
            verifica o log
            """,
    },
    "ru": {
        "approve": """
            да
            ага
            давай
            да, давай
            хорошо
            ок
            согласен
            конечно
            делай так
            отлично
            звучит хорошо
            мне нравится
            меня устраивает
            так и сделаем
            хорошая идея
            поехали
            как ты предложил
            """,
        "choose": """
            Б
            второй
            давай второй вариант
            вариант 2
            оба
            я за первый вариант
            лучше второй
            ни один
            """,
        "refuse": """
            нет
            неа
            не надо
            не нужно
            откати
            отмени это
            убери это
            мне не нравится
            не хочу ещё одну зависимость
            слишком сложно
            верни как было
            лучше не надо
            плохая идея
            забудь
            """,
        "correct": """
            это не то, что я просил
            я имел в виду другой файл
            неправильно
            не тот файл
            ты забыл тесты
            ты вообще читал файл?
            зачем ты поменял имя?
            я же сказал только чтение
            это неверно
            """,
        "constrain": """
            никогда не коммить в main
            не трогай базу
            всегда сначала запускай тесты
            без новых зависимостей
            с этого момента используй табы
            должно работать без сети
            убедись что тесты проходят
            только стандартная библиотека
            оставь как есть
            максимум три попытки
            ключ не должен попадать в лог
            никаких комментариев
            """,
        "decide": """
            используй sqlite вместо json
            назови его worker
            может переименуем?
            а если использовать очередь?
            почему бы не хранить на диске?
            лучше один файл
            он должен быть синим
            я бы сделал словарь
            """,
        "scope": """
            вне рамок задачи
            пока не надо
            в отдельном PR
            это крайний случай
            неважно
            пока достаточно
            """,
        "defer": """
            позже
            потом
            не сейчас
            отложим это
            заведи тикет
            """,
        "ask": """
            что делает эта функция?
            почему падает?
            можешь объяснить?
            """,
        "report": """
            всё ещё не работает
            тесты падают
            я получил ошибку
            """,
        "command": """
            запусти тесты
            закоммить и запушь
            продолжай
            проверь лог
            """,
    },
    "zh": {
        "approve": """
            好
            好的
            可以
            行
            嗯
            没问题
            同意
            就这样
            就这么办
            对
            是的
            按你说的做
            看起来不错
            我同意
            这样可以
            做吧
            當然
            """,
        "choose": """
            选A
            用第二个
            第二个
            方案二
            B吧
            两个都要
            都要
            第一种更好
            """,
        "refuse": """
            不
            不行
            不要
            不用了
            算了
            别这样
            撤销
            回滚
            改回去
            太复杂了
            我不喜欢
            不需要这个
            风险太大
            没必要
            """,
        "correct": """
            不对
            不是这个意思
            我说的是另一个文件
            你搞错了
            你忘了测试
            你看了文件吗
            为什么你改了名字
            不是我想要的
            文件错了
            """,
        "constrain": """
            不要提交到 main
            别改这个文件
            別改這個檔案
            必须离线运行
            以后都用 tab
            每次都先跑测试
            不要加新的依赖
            只能用标准库
            保持原样
            最多三次
            绝对不能打印密钥
            一定要写测试
            """,
        "decide": """
            改成 sqlite
            能不能改个名字？
            要不用队列吧
            为什么不用集合？
            我觉得应该分成两个
            应该是蓝色
            换成字典
            用 sqlite 代替 json
            """,
        "scope": """
            不在这次范围内
            暂时不做
            先不管
            另开一个PR
            边界情况不用管
            够用了
            """,
        "defer": """
            以后再说
            回头再说
            下次再做
            明天再说
            先放着
            """,
        "ask": """
            这是什么？
            为什么会失败？
            解释一下
            怎么用
            """,
        "report": """
            还是报错
            测试失败了
            现在可以了
            """,
        "command": """
            跑一下测试
            提交
            继续
            看一下日志
            """,
    },
    "ja": {
        "approve": """
            はい
            いいよ
            いいですよ
            うん
            お願いします
            それでお願いします
            それでいいです
            了解
            大丈夫です
            問題ないです
            賛成です
            進めてください
            良さそうです
            その通りです
            やってください
            承認します
            そうしましょう
            """,
        "choose": """
            A
            Bで
            2番で
            二つ目で
            案2でお願いします
            両方
            後者で
            最初の案がいい
            """,
        "refuse": """
            いいえ
            やめて
            やめてください
            いらない
            元に戻して
            却下
            それはやめよう
            不要です
            必要ないです
            別の方法で
            複雑すぎる
            ダメです
            好きじゃない
            取り消して
            """,
        "correct": """
            違います
            そうじゃない
            そういう意味じゃない
            ファイルが違う
            間違っています
            なんで名前を変えたの？
            なんで消したの
            仕様を読みましたか
            勝手に変えないで
            さっき言ったよね
            """,
        "constrain": """
            mainにはコミットしないで
            このファイルは触らないで
            必ずテストを実行して
            今後は毎回確認して
            新しい依存は追加しないでください
            オフラインで動かなければならない
            標準ライブラリのみ
            そのままにして
            最大3回
            絶対に削除しないで
            変更禁止
            """,
        "decide": """
            sqliteを使って
            名前を変えませんか
            キューを使ったらどう？
            青にしてください
            二つに分けましょう
            setの方がいい
            workerに変更して
            これは一つのファイルにしたい
            """,
        "scope": """
            今回はやらない
            範囲外です
            とりあえずなしで
            別PRで
            気にしなくていい
            対応しなくていいです
            """,
        "defer": """
            後で
            あとでやる
            また今度
            チケットを作って
            保留で
            """,
        "ask": """
            これは何ですか？
            なぜ失敗するの？
            説明してください
            どうやって使うの
            """,
        "report": """
            まだ動かない
            テストが落ちました
            エラーが出ました
            """,
        "command": """
            テストを実行してください
            コミットして
            続けて
            ログを見て
            """,
    },
}

NEVER = {
    "de": {
        "refuse correct constrain": """
            kein Problem
            keine Ahnung, was meinst du?
            keine Sorge
            warum nicht?
            keine Fehler mehr
            macht nichts
            keine Eile
            nicht schlecht
            das Deployment läuft jetzt
            """,
        "approve": "ja aber warum?\nwas hältst du davon?\nok und wo steht das?",
        "constrain": """
            das muss wohl ein Bug sein
            es sollte jetzt gehen
            ich muss los
            das hab ich nie gesehen
            """,
    },
    "es": {
        "refuse correct constrain": """
            no hay problema
            no te preocupes
            no sé, qué opinas?
            por qué no?
            no pasa nada
            sin problema
            no está mal
            """,
        "approve": "vale, y por qué falla?\nestá bien ?\nclaro, pero qué hace?",
        "constrain": "debe ser un bug\nya debería funcionar\nnunca llegamos a eso",
    },
    "fr": {
        "refuse correct constrain": """
            pas de souci
            pas de problème
            ne t'inquiète pas
            pas mal
            aucune idée, tu en penses quoi ?
            pourquoi pas ?
            pas grave
            """,
        "approve": "ok et pourquoi ça plante ?\nd'accord mais comment ?\noui mais non",
        "constrain": """
            ça doit être un bug
            ça devrait marcher maintenant
            on n'est jamais arrivé là
            """,
    },
    "pt": {
        "refuse correct constrain": """
            sem problema
            não se preocupe
            não sei, o que você acha?
            não tem problema
            por que não?
            nada mal
            sem pressa
            """,
        "approve": "ok e por que falha?\ntá mas o que isso faz?\nsim mas não",
        "constrain": "deve ser um bug\nagora deve funcionar\nnunca chegamos lá",
    },
    "ru": {
        "refuse correct constrain": """
            нет проблем
            не волнуйся
            не знаю, что думаешь?
            почему бы и нет
            ничего страшного
            неплохо
            без проблем
            """,
        "approve": "хорошо, а почему падает?\nок, и где это?\nда, но зачем?",
        "constrain": """
            должно быть, это баг
            теперь должно работать
            мы никогда не доходили до этого
            """,
    },
    "zh": {
        "refuse correct constrain": """
            没问题
            没关系
            别担心
            不错
            不知道，你觉得呢？
            不客气
            不急
            """,
        "approve": "好的，那为什么失败？\n可以解释一下吗？\n行不行？",
        "constrain": "应该是缓存的问题\n现在应该可以了\n特别慢\n没有错误",
    },
    "ja": {
        "refuse correct constrain": """
            問題ない
            気にしないで
            わからない、どう思う？
            悪くない
            心配しないで
            間違いない
            エラーはない
            """,
        "approve": "はい、でもなぜ失敗するの？\nいいですか？\n大丈夫？",
        "constrain": "バグに違いない\nもう動くはずです\nそこまで行ったことがない",
    },
}


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def shown():
    return [(c, act, s) for c, by in SHOWN.items() for act, text in by.items() for s in lines(text)]


def never():
    return [
        (code, wrong, sentence)
        for code, by in NEVER.items()
        for names, text in by.items()
        for sentence in lines(text)
        for wrong in names.split()
    ]


@pytest.mark.parametrize(("code", "act", "sentence"), shown())
def test_an_act_is_seen_in_each_covered_language(code, act, sentence):
    assert act in acts(sentence, code)


@pytest.mark.parametrize(("code", "wrong", "sentence"), never())
def test_what_only_looks_like_an_act_is_none_in_any_language(code, wrong, sentence):
    assert wrong not in acts(sentence, code)


@pytest.mark.parametrize("code", [*COVERED, "common"])
def test_a_table_of_phrases_keeps_to_its_notation(code):
    table = phrases(code)
    named = table.get("names", {})
    texts = [text for part in ("opening", "clause", "anywhere") for text in table[part].values()]
    for phrase in ";".join(texts).split(";"):
        assert phrase.count("(") == phrase.count(")"), phrase
        assert set(re.findall(r"{(\w*)}", phrase)) <= set(named), phrase
        assert set(re.findall(r"<[^>|)]*>?", phrase)) <= set(KINDS), phrase
        assert not re.search(r"\$(?!\||\)|$)", phrase.strip()), phrase
        assert phrase.strip() not in {"i'd", "i'll", "it's", "its", "id", "ill"}, phrase


def test_each_covered_language_is_tested():
    assert set(SHOWN) == set(NEVER) == set(COVERED) - {"en"}
    for code, by in SHOWN.items():
        assert sum(len(lines(text)) for text in by.values()) >= 25, code
        assert sum(len(lines(text)) for text in NEVER[code].values()) >= 6, code


@pytest.mark.parametrize("code", ["und", "it", "ko", "xx"])
def test_other_languages_are_read_with_the_english_table(code):
    assert table_of(code)[0] is table_of("en")[0]
    assert acts("lgtm", code) == {"approve"}


@pytest.mark.parametrize("code", COVERED)
def test_what_developers_type_everywhere_is_understood_in_each_language(code):
    assert "approve" in acts("lgtm", code)
    assert "approve" in acts("👍", code)
    assert "approve" in acts("ok", code)
    assert "choose" in acts("B", code)
    assert labels("B") == ("B",)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "yup, do that"),
        ("en", "can you rename this function?"),
        ("en", "nah roll that back"),
        ("en", "why does it print 你好 here?"),
        ("en", "the die() function is wrong, use das_keyboard"),
        ("en", "it crashes in `el` and in /usr/share/une/que"),
        ("de", "nö, lass das"),
        ("de", "passt, mach weiter"),
        ("de", "merge den branch und deploy auf staging"),
        ("de", "keine neuen Abhaengigkeiten bitte"),
        ("de", "ja"),
        ("es", "vale, dale"),
        ("es", "no, eso no es lo que pedí"),
        ("es", "sin nuevas dependencias porfa"),
        ("es", "no me gusta"),
        ("fr", "nan laisse tomber"),
        ("fr", "push la branch et lance les tests"),
        ("fr", "c'est bon"),
        ("fr", "vas-y"),
        ("pt", "bora, pode fazer"),
        ("pt", "não mexe no banco"),
        ("pt", "sem novas dependencias por favor"),
        ("ru", "не надо"),
        ("ru", "запушь и merge branch в main"),
        ("zh", "别改这个文件"),
        ("zh", "把 config 里的 timeout 改成 30 秒"),
        ("zh", "好的"),
        ("ja", "やめて"),
        ("ja", "このままでいいよ"),
        ("ja", "commit して push して"),
    ],
)
def test_a_covered_language_is_told(code, text):
    assert language(text) == code


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("ko", "그대로 두세요"),
        ("it", "non toccare il database, va bene così"),
        ("nl", "laat dat maar zo, dat is goed"),
        ("pl", "nie zmieniaj tego, tak jest dobrze"),
        ("sv", "använd inte det där"),
        ("tr", "bunu değiştirme lütfen"),
        ("uk", "лиши це як є, будь ласка, не чіпай"),
        ("ar", "اترك هذا كما هو"),
        ("he", "תשאיר את זה ככה"),
        ("hi", "इसे ऐसे ही रहने दो"),
        ("th", "ปล่อยไว้แบบนี้"),
        ("el", "άφησέ το έτσι"),
        ("other", "დატოვე ასე"),
    ],
)
def test_a_language_that_is_not_covered_is_named(code, text):
    assert language(text) == code


@pytest.mark.parametrize(
    "text", ["", "A", "2", "no", "ok", "👍", "commit", "`nie`", "src/app.ts", "???"]
)
def test_a_text_that_could_be_of_several_languages_is_left_untold(text):
    assert language(text) == "und"
