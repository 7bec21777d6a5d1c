// The page in other languages: rows of texts in English, German, French, Spanish and Polish.
"use strict";
var deepfield_words = (function () {
    const languages = ["en", "de", "fr", "es", "pl"];
    const rows = [
        ["One screen of a wall", "Ein Bildschirm einer Wand", "Un écran d’un mur", "Una pantalla de una pared", "Jeden ekran ściany"],
        ["Which screen of the wall is this?", "Welcher Bildschirm der Wand ist das?", "Quel écran du mur est-ce ?", "¿Qué pantalla de la pared es esta?", "Który to ekran ściany?"],
        ["The address in the browser then names it, so that the screen finds its place again by itself.", "Die Adresse im Browser nennt ihn dann, sodass der Bildschirm seinen Platz von selbst wiederfindet.", "L’adresse dans le navigateur le nomme ensuite : l’écran retrouve sa place tout seul.", "La dirección del navegador la nombra después, y la pantalla vuelve sola a su lugar.", "Adres w przeglądarce go potem nazywa, więc ekran sam wraca na miejsce."],
        ["taken", "belegt", "pris", "ocupada", "zajęty"],
        ["There is no wall: deepfield view --serve --wall 2x2", "Es gibt keine Wand: deepfield view --serve --wall 2x2", "Il n’y a pas de mur : deepfield view --serve --wall 2x2", "No hay pared: deepfield view --serve --wall 2x2", "Nie ma ściany: deepfield view --serve --wall 2x2"],
        ["The picture. Arrow keys move it, plus and minus zoom.", "Das Bild. Pfeiltasten bewegen es, Plus und Minus vergrößern und verkleinern.", "L’image. Les flèches la déplacent, plus et moins l’agrandissent et la réduisent.", "La imagen. Las flechas la mueven, más y menos la amplían y la reducen.", "Obraz. Strzałki go przesuwają, plus i minus powiększają i pomniejszają."],
        ["Tools", "Werkzeuge", "Outils", "Herramientas", "Narzędzia"],
        ["Back", "Zurück", "Retour", "Atrás", "Wstecz"],
        ["Back (Backspace)", "Zurück (Rücktaste)", "Retour (Retour arrière)", "Atrás (Retroceso)", "Wstecz (Backspace)"],
        ["Home", "Anfang", "Début", "Inicio", "Początek"],
        ["All of the set (Home)", "Die ganze Menge (Pos1)", "Tout l’ensemble (Début)", "Todo el conjunto (Inicio)", "Cały zbiór (Home)"],
        ["Zoom out", "Heraus", "Reculer", "Alejar", "Oddal"],
        ["Zoom out (-)", "Heraus (-)", "Reculer (-)", "Alejar (-)", "Oddal (-)"],
        ["Zoom in", "Hinein", "Avancer", "Acercar", "Przybliż"],
        ["Zoom in (+)", "Hinein (+)", "Avancer (+)", "Acercar (+)", "Przybliż (+)"],
        ["Places", "Orte", "Lieux", "Lugares", "Miejsca"],
        ["Places (G)", "Orte (G)", "Lieux (G)", "Lugares (G)", "Miejsca (G)"],
        ["Bookmarks", "Lesezeichen", "Signets", "Marcadores", "Zakładki"],
        ["Bookmarks (Ctrl+B)", "Lesezeichen (Strg+B)", "Signets (Ctrl+B)", "Marcadores (Ctrl+B)", "Zakładki (Ctrl+B)"],
        ["Only the one who leads sees the bookmarks.", "Nur wer führt, sieht die Lesezeichen.", "Seul celui qui a la main voit les signets.", "Solo quien tiene el control ve los marcadores.", "Zakładki widzi tylko osoba, która prowadzi."],
        ["Title of this place; empty: its own, or its zoom", "Titel dieses Ortes; leer: sein eigener, oder sein Zoom", "Titre de ce lieu ; vide : le sien, ou son zoom", "Título de este lugar; vacío: el suyo, o su zoom", "Tytuł tego miejsca; pusty: jego własny albo powiększenie"],
        ["Keep this place", "Diesen Ort behalten", "Garder ce lieu", "Guardar este lugar", "Zachowaj to miejsce"],
        ["keep the place as a bookmark", "den Ort als Lesezeichen behalten", "garder le lieu comme signet", "guardar el lugar como marcador", "zachowaj miejsce jako zakładkę"],
        ["The place is kept as a bookmark.", "Der Ort ist als Lesezeichen gesichert.", "Le lieu est gardé comme signet.", "El lugar queda guardado como marcador.", "Miejsce zapisano jako zakładkę."],
        ["A title has letters A to Z, digits and signs without double quotes.", "Ein Titel hat Buchstaben von A bis Z, Ziffern und Zeichen ohne doppelte Anführungszeichen.", "Un titre a des lettres de A à Z sans accents, des chiffres et des signes sans guillemets doubles.", "Un título tiene letras de A a Z sin acentos, cifras y signos sin comillas dobles.", "Tytuł ma litery od A do Z, cyfry i znaki bez cudzysłowów."],
        ["Title", "Titel", "Titre", "Título", "Tytuł"],
        ["Keep", "Behalten", "Garder", "Guardar", "Zachowaj"],
        ["Keep the title", "Den Titel behalten", "Garder le titre", "Guardar el título", "Zachowaj tytuł"],
        ["Rename", "Umbenennen", "Renommer", "Renombrar", "Zmień nazwę"],
        ["Remove", "Entfernen", "Supprimer", "Quitar", "Usuń"],
        ["Really remove?", "Wirklich entfernen?", "Vraiment supprimer ?", "¿Quitar de verdad?", "Na pewno usunąć?"],
        ["Colours", "Farben", "Couleurs", "Colores", "Kolory"],
        ["Colours (F4)", "Farben (F4)", "Couleurs (F4)", "Colores (F4)", "Kolory (F4)"],
        ["Formulas", "Formeln", "Formules", "Fórmulas", "Wzory"],
        ["Formulas (F: the next one)", "Formeln (F: die nächste)", "Formules (F : la suivante)", "Fórmulas (F: la siguiente)", "Wzory (F: następny)"],
        ["Figures", "Zahlen", "Chiffres", "Cifras", "Liczby"],
        ["What computes (H)", "Was rechnet (H)", "Ce qui calcule (H)", "Lo que calcula (H)", "Co liczy (H)"],
        ["Save", "Sichern", "Garder", "Guardar", "Zapisz"],
        ["Save (Ctrl+S)", "Sichern (Strg+S)", "Garder (Ctrl+S)", "Guardar (Ctrl+S)", "Zapisz (Ctrl+S)"],
        ["Help", "Hilfe", "Aide", "Ayuda", "Pomoc"],
        ["Help (?)", "Hilfe (?)", "Aide (?)", "Ayuda (?)", "Pomoc (?)"],
        ["Close", "Schließen", "Fermer", "Cerrar", "Zamknij"],
        ["Close (Escape)", "Schließen (Escape)", "Fermer (Échap)", "Cerrar (Escape)", "Zamknij (Escape)"],
        ["A place: its name, or a text of any format that deepfield reads", "Ein Ort: sein Name, oder ein Text in einem Format, das deepfield liest", "Un lieu : son nom, ou un texte d’un format que deepfield lit", "Un lugar: su nombre, o un texto de un formato que deepfield lee", "Miejsce: jego nazwa albo tekst w formacie, który deepfield czyta"],
        ["Go", "Dorthin", "Y aller", "Ir", "Idź"],
        ["Views", "Ansichten", "Vues", "Vistas", "Widoki"],
        ["Search", "Suchen", "Chercher", "Buscar", "Szukaj"],
        ["Palettes", "Paletten", "Palettes", "Paletas", "Palety"],
        ["Colours of your own", "Eigene Farben", "Vos couleurs", "Colores propios", "Własne kolory"],
        ["Density, contrast, relief", "Dichte, Kontrast, Relief", "Densité, contraste, relief", "Densidad, contraste, relieve", "Gęstość, kontrast, relief"],
        ["Density", "Dichte", "Densité", "Densidad", "Gęstość"],
        ["Shift", "Verschiebung", "Décalage", "Desplazamiento", "Przesunięcie"],
        ["Contrast", "Kontrast", "Contraste", "Contraste", "Kontrast"],
        ["Relief", "Relief", "Relief", "Relieve", "Relief"],
        ["Inside", "Innen", "Intérieur", "Interior", "Wnętrze"],
        ["one colour", "eine Farbe", "une couleur", "un color", "jeden kolor"],
        ["a colour for each period", "eine Farbe je Periode", "une couleur par période", "un color por período", "kolor dla każdego okresu"],
        ["by distance", "nach Abstand", "selon la distance", "según la distancia", "według odległości"],
        ["bands of colour closer together", "Farbbänder näher zusammen", "bandes de couleur plus serrées", "bandas de color más juntas", "pasma kolorów bliżej siebie"],
        ["bands of colour farther apart", "Farbbänder weiter auseinander", "bandes de couleur plus écartées", "bandas de color más separadas", "pasma kolorów dalej od siebie"],
        ["bands of colour farther apart, closer together", "Farbbänder weiter auseinander, näher zusammen", "bandes de couleur plus écartées, plus serrées", "bandas de color más separadas, más juntas", "pasma kolorów dalej od siebie, bliżej siebie"],
        ["shift the colours", "die Farben verschieben", "décaler les couleurs", "desplazar los colores", "przesuń kolory"],
        ["shift the colours back", "die Farben zurückschieben", "décaler les couleurs en arrière", "desplazar los colores hacia atrás", "cofnij przesunięcie kolorów"],
        ["more contrast: all colours on equal areas", "mehr Kontrast: alle Farben auf gleichen Flächen", "plus de contraste : toutes les couleurs sur des aires égales", "más contraste: todos los colores en áreas iguales", "większy kontrast: wszystkie kolory na równych polach"],
        ["less contrast: colours follow the counts", "weniger Kontrast: Farben folgen den Zählwerten", "moins de contraste : les couleurs suivent les comptes", "menos contraste: los colores siguen las cuentas", "mniejszy kontrast: kolory według liczników"],
        ["more contrast; with Shift: less", "mehr Kontrast; mit Umschalt: weniger", "plus de contraste ; avec Maj : moins", "más contraste; con Mayús: menos", "większy kontrast; z Shift: mniejszy"],
        ["stronger relief, lit from the side", "stärkeres Relief, von der Seite beleuchtet", "relief plus fort, éclairé de côté", "más relieve, iluminado de lado", "silniejszy relief, oświetlony z boku"],
        ["weaker relief, or none", "schwächeres Relief oder keines", "relief plus faible, ou aucun", "menos relieve, o ninguno", "słabszy relief albo żaden"],
        ["stronger relief; with Shift: weaker", "stärkeres Relief; mit Umschalt: schwächeres", "relief plus fort ; avec Maj : plus faible", "más relieve; con Mayús: menos", "silniejszy relief; z Shift: słabszy"],
        ["inside: one colour, by period, by distance", "innen: eine Farbe, nach Periode, nach Abstand", "intérieur : une couleur, par période, par distance", "dentro: un color, por período, por distancia", "wewnątrz: jeden kolor, według okresu, według odległości"],
        ["Use", "Nehmen", "Utiliser", "Usar", "Użyj"],
        ["Iteration limit; empty: automatic", "Iterationsgrenze; leer: automatisch", "Limite d’itérations ; vide : automatique", "Límite de iteraciones; vacío: automático", "Limit iteracji; pusty: automatyczny"],
        ["Set", "Setzen", "Fixer", "Fijar", "Ustaw"],
        ["Ranks", "Ränge", "Rangs", "Rangos", "Rangi"],
        ["rank", "Rang", "rang", "rango", "ranga"],
        ["host", "Rechner", "machine", "equipo", "komputer"],
        ["threads", "Threads", "fils", "hilos", "wątki"],
        ["busy", "Arbeit", "occupé", "ocupado", "zajęty"],
        ["tiles", "Kacheln", "tuiles", "teselas", "kafelki"],
        ["Picture (PNG)", "Bild (PNG)", "Image (PNG)", "Imagen (PNG)", "Obraz (PNG)"],
        ["Place (.ini)", "Ort (.ini)", "Lieu (.ini)", "Lugar (.ini)", "Miejsce (.ini)"],
        ["This command renders it large, with the place beside it:", "Dieser Befehl macht es groß, mit dem Ort daneben:", "Cette commande la calcule en grand, avec le lieu à côté :", "Esta orden la calcula en grande, con el lugar al lado:", "To polecenie oblicza go w dużym rozmiarze, z plikiem miejsca obok:"],
        ["Copy", "Kopieren", "Copier", "Copiar", "Kopiuj"],
        ["copied", "kopiert", "copié", "copiado", "skopiowano"],
        ["Drag", "Ziehen", "Glisser", "Arrastrar", "Przeciągnięcie"],
        ["move", "bewegen", "déplacer", "mover", "przesunąć"],
        ["Wheel", "Rad", "Molette", "Rueda", "Kółko"],
        ["Two fingers", "Zwei Finger", "Deux doigts", "Dos dedos", "Dwa palce"],
        ["move, zoom and turn", "bewegen, vergrößern und drehen", "déplacer, agrandir et tourner", "mover, ampliar y girar", "przesunąć, powiększyć i obrócić"],
        ["zoom at the pointer", "am Zeiger vergrößern", "agrandir au pointeur", "ampliar en el puntero", "powiększyć przy wskaźniku"],
        ["Hold", "Halten", "Maintenir", "Mantener", "Przytrzymanie"],
        ["fly in; right button, two fingers: out", "hineinfliegen; rechte Taste, zwei Finger: heraus", "voler vers l’intérieur ; bouton droit, deux doigts : reculer", "volar hacia dentro; botón derecho, dos dedos: hacia fuera", "lot w głąb; prawy przycisk, dwa palce: na zewnątrz"],
        ["Double click", "Doppelklick", "Double clic", "Doble clic", "Dwuklik"],
        ["go in", "hinein", "avancer", "acercar", "przybliżyć"],
        ["Right click", "Rechtsklick", "Clic droit", "Clic derecho", "Kliknięcie prawym"],
        ["go out", "heraus", "reculer", "alejar", "oddalić"],
        ["Shift and drag", "Umschalt und ziehen", "Maj et glisser", "Mayús y arrastrar", "Shift i przeciągnięcie"],
        ["draw a box and zoom to it", "einen Rahmen ziehen, der zum Bild wird", "tracer un cadre qui devient l’image", "trazar un marco que será la imagen", "narysować ramkę, która stanie się obrazem"],
        ["Ctrl and drag", "Strg und ziehen", "Ctrl et glisser", "Ctrl y arrastrar", "Ctrl i przeciągnięcie"],
        ["turn", "drehen", "tourner", "girar", "obrócić"],
        ["Middle click", "Klick mit der mittleren Taste", "Clic du milieu", "Clic central", "Kliknięcie środkowym"],
        ["bring that point to the middle", "diesen Punkt in die Mitte", "amener ce point au milieu", "llevar ese punto al centro", "przenieść ten punkt na środek"],
        ["turn by 15 degrees", "um 15 Grad drehen", "tourner de 15 degrés", "girar 15 grados", "obrócić o 15 stopni"],
        ["upright; with Shift: mirror", "aufrecht; mit Umschalt: spiegeln", "droit ; avec Maj : miroir", "derecho; con Mayús: espejo", "pionowo; z Shift: odbicie"],
        ["next palette; with Shift: the one before", "nächste Palette; mit Umschalt: die vorige", "palette suivante ; avec Maj : la précédente", "paleta siguiente; con Mayús: la anterior", "następna paleta; z Shift: poprzednia"],
        ["next formula; with Shift: the one before", "nächste Formel; mit Umschalt: die vorige", "formule suivante ; avec Maj : la précédente", "fórmula siguiente; con Mayús: la anterior", "następny wzór; z Shift: poprzedni"],
        ["twice the iterations; with Shift: half; with Ctrl: automatic", "doppelt so viele Iterationen; mit Umschalt: halb so viele; mit Strg: automatisch", "deux fois plus d’itérations ; avec Maj : la moitié ; avec Ctrl : automatique", "el doble de iteraciones; con Mayús: la mitad; con Ctrl: automático", "dwa razy więcej iteracji; z Shift: połowa; z Ctrl: automatycznie"],
        ["one rank fewer; with Shift: one more", "ein Rang weniger; mit Umschalt: einer mehr", "un rang de moins ; avec Maj : un de plus", "un rango menos; con Mayús: uno más", "jedna ranga mniej; z Shift: jedna więcej"],
        ["zoom at the middle", "in der Mitte vergrößern", "agrandir au milieu", "ampliar en el centro", "powiększyć pośrodku"],
        ["all of the set", "die ganze Menge", "tout l’ensemble", "todo el conjunto", "cały zbiór"],
        ["the Julia set of the point under the pointer", "die Julia-Menge des Punkts unter dem Zeiger", "l’ensemble de Julia du point sous le pointeur", "el conjunto de Julia del punto bajo el puntero", "zbiór Julii punktu pod wskaźnikiem"],
        ["back; with Shift: forward", "zurück; mit Umschalt: vor", "retour ; avec Maj : suivant", "atrás; con Mayús: adelante", "wstecz; z Shift: dalej"],
        ["go to a place that was copied", "zu einem kopierten Ort", "aller à un lieu copié", "ir a un lugar copiado", "idź do skopiowanego miejsca"],
        ["panels", "Tafeln", "panneaux", "paneles", "panele"],
        ["The picture follows the hand at once, and the program computes it anew. At rest it is, pixel by pixel, that of", "Das Bild folgt der Hand sofort, und das Programm berechnet es neu. In Ruhe ist es Pixel für Pixel das von", "L’image suit la main aussitôt, et le programme la recalcule. Au repos, elle est, pixel par pixel, celle de", "La imagen sigue a la mano al instante y el programa la calcula de nuevo. En reposo es, píxel a píxel, la de", "Obraz od razu podąża za ręką, a program liczy go na nowo. W spoczynku jest piksel po pikselu obrazem polecenia"],
        ["This page needs JavaScript.", "Diese Seite braucht JavaScript.", "Cette page a besoin de JavaScript.", "Esta página necesita JavaScript.", "Ta strona wymaga JavaScriptu."],
        ["The connection is lost; trying again.", "Die Verbindung ist unterbrochen; neuer Versuch.", "La connexion est perdue ; nouvel essai.", "Se ha perdido la conexión; nuevo intento.", "Połączenie zerwane; kolejna próba."],
        ["exact", "exakt", "exacte", "exacta", "dokładny"],
        ["reference orbit", "Referenzorbit", "orbite de référence", "órbita de referencia", "orbita odniesienia"],
        ["smoothing", "Glättung", "lissage", "suavizado", "wygładzanie"],
        ["sending", "wird gesendet", "envoi", "enviando", "wysyłanie"],
        ["computing", "rechnet", "calcul", "calculando", "obliczanie"],
        ["formula", "Formel", "formule", "fórmula", "wzór"],
        ["Julia set of", "Julia-Menge von", "ensemble de Julia de", "conjunto de Julia de", "zbiór Julii dla"],
        ["title", "Titel", "titre", "título", "tytuł"],
        ["real part", "Realteil", "partie réelle", "parte real", "część rzeczywista"],
        ["imaginary part", "Imaginärteil", "partie imaginaire", "parte imaginaria", "część urojona"],
        ["zoom", "Zoom", "zoom", "zoom", "powiększenie"],
        ["rotation", "Drehung", "rotation", "giro", "obrót"],
        ["size", "Größe", "taille", "tamaño", "rozmiar"],
        ["iteration limit", "Iterationsgrenze", "limite d’itérations", "límite de iteraciones", "limit iteracji"],
        ["automatic", "automatisch", "automatique", "automático", "automatyczny"],
        ["method", "Verfahren", "méthode", "método", "metoda"],
        ["predicted error", "erwarteter Fehler", "erreur prévue", "error previsto", "przewidywany błąd"],
        ["samples", "Abtastungen", "échantillons", "muestras", "próbki"],
        ["iterations", "Iterationen", "itérations", "iteraciones", "iteracje"],
        ["browsers", "Browser", "navigateurs", "navegadores", "przeglądarki"],
        ["takes part", "macht mit", "participe", "participa", "bierze udział"],
        ["times as fast as one alone", "mal so schnell wie einer allein", "fois plus vite qu’un seul", "veces más rápido que uno solo", "razy szybciej niż jeden"],
        ["How much faster are they? Let one compute alone.", "Wie viel schneller sind sie? Lassen Sie einen allein rechnen.", "Combien de fois plus vite ? Laissez un seul calculer.", "¿Cuánto más rápidos son? Deje calcular a uno solo.", "Ile razy szybciej? Niech liczy tylko jeden."],
        ["Ten seconds of each rank: in its colour it computes, white it sends, amber rank 0 puts together, grey it waits.", "Zehn Sekunden jedes Ranges: in seiner Farbe rechnet er, weiß sendet er, bernsteinfarben setzt Rang 0 zusammen, grau wartet er.", "Dix secondes de chaque rang : dans sa couleur il calcule, en blanc il envoie, en ambre le rang 0 assemble, en gris il attend.", "Diez segundos de cada rango: en su color calcula, en blanco envía, en ámbar el rango 0 reúne, en gris espera.", "Dziesięć sekund każdego procesu: w swoim kolorze liczy, na biało wysyła, na bursztynowo proces 0 składa, na szaro czeka."],
        ["lost", "verloren", "perdu", "perdido", "utracona"],
        ["The picture is exact.", "Das Bild ist exakt.", "L’image est exacte.", "La imagen es exacta.", "Obraz jest dokładny."],
        ["The picture is still being computed.", "Das Bild wird noch berechnet.", "L’image est encore en calcul.", "La imagen aún se calcula.", "Obraz jest jeszcze liczony."],
        ["You watch.", "Sie sehen zu.", "Vous regardez.", "Usted mira.", "Oglądasz."],
        ["You have asked for the lead.", "Sie haben um die Führung gebeten.", "Vous avez demandé la main.", "Ha pedido el control.", "Poproszono o prowadzenie."],
        ["Someone else leads.", "Jemand anderes führt.", "Quelqu’un d’autre a la main.", "Otra persona tiene el control.", "Prowadzi ktoś inny."],
        ["Ask for the lead", "Um die Führung bitten", "Demander la main", "Pedir el control", "Poproś o prowadzenie"],
        ["Someone asks for the lead.", "Jemand bittet um die Führung.", "Quelqu’un demande la main.", "Alguien pide el control.", "Ktoś prosi o prowadzenie."],
        ["Give it", "Abgeben", "La donner", "Darlo", "Oddaj"]
    ];
    const wished = (navigator.languages || [navigator.language || "en"]).map(function (tag) {
        return tag.slice(0, 2).toLowerCase();
    });
    const chosen = wished.find(function (tag) { return languages.includes(tag); }) || "en";
    const column = languages.indexOf(chosen);
    const table = new Map(rows.map(function (row) { return [row[0], row[column]]; }));
    document.documentElement.lang = chosen;

    function say(text) {
        return table.get(text) || text;
    }

    // Calls with each text of the page as it was written, and what sets it.
    function each(call) {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), nodes = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode())
            nodes.push(node);
        nodes.forEach(function (node) {
            const text = node.data.trim(), parent = node.parentElement;
            if (text && !parent.closest("kbd, code, script, noscript"))
                call(text, function (word) { node.data = node.data.replace(text, word); });
        });
        document.querySelectorAll("[title], [placeholder], [aria-label]").forEach(function (one) {
            ["title", "placeholder", "aria-label"].forEach(function (name) {
                const text = one.getAttribute(name);
                if (text && !text.startsWith("#"))
                    call(text, function (word) { one.setAttribute(name, word); });
            });
        });
        document.querySelectorAll("[data-title]").forEach(function (one) {
            call(one.dataset.title, function () { return undefined; });
        });
    }

    function translate() {
        const missing = [];
        each(function (text, set) {
            if (!table.has(text) && text !== "+" && text !== "-")
                missing.push(text);
            set(say(text));
        });
        return missing;
    }

    return {say: say, translate: translate, rows: rows, language: chosen};
}());
