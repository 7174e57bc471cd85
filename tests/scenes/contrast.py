"""A text in colours that axe-core has found to be legible is not looked at again."""

# Wraps axe-core's check of contrasts, by far the dearest of all. `legible` names what stood it: by
# the computed style of a text and of all that it lies in, from which the check draws its verdict
# where nothing else can lie in between. Where something can, the check is made.
WATCH = """legible => {
    const kept = make => {
        const made = new Map();
        return e => made.has(e) ? made.get(e) : made.set(e, make(e)).get(e);
    };
    const short = parts => {
        let [a, b] = [0xdeadbeef, 0x41c6ce57];
        for (const char of parts.join("|")) {
            a = Math.imul(a ^ char.codePointAt(0), 2654435761);
            b = Math.imul(b ^ char.codePointAt(0), 1597334677);
        }
        return `${(a >>> 0).toString(36)}-${(b >>> 0).toString(36)}`;
    };
    const style = kept(e => getComputedStyle(e));
    const box = kept(e => e.getBoundingClientRect());
    const ground = kept(e => {
        if (!e) return "";
        const {backgroundColor, backgroundImage, opacity, filter, mixBlendMode} = style(e);
        return short([ground(e.parentElement), e.nodeName, backgroundColor, backgroundImage,
            opacity, filter, mixBlendMode]);
    });
    const name = e => {
        const s = style(e);
        return short([ground(e), s.color, s.fontSize, s.fontWeight, s.textShadow,
            s.webkitTextFillColor, s.webkitTextStrokeColor, s.webkitTextStrokeWidth]);
    };

    const shinesThrough = kept(e => {
        if (!e) return false;
        const {opacity, filter, mixBlendMode} = style(e);
        return opacity !== "1" || filter !== "none" || mixBlendMode !== "normal"
            || shinesThrough(e.parentElement);
    });
    const covers = e => !/^rgba|[/]/.test(style(e).backgroundColor) && !shinesThrough(e);
    const isMoved = e => {
        const s = style(e);
        const offsets = [s.top, s.right, s.bottom, s.left];
        return ["absolute", "fixed", "sticky"].includes(s.position) || s.float !== "none"
            || (s.position === "relative" && offsets.some(o => !["auto", "0px"].includes(o)))
            || [s.transform, s.translate, s.rotate, s.scale].some(how => how !== "none")
            || [s.gridRowStart, s.gridColumnStart].every(line => /^[0-9-]/.test(line))
            || /-[0-9]/.test(s.margin);
    };
    const moved = new Set([...document.body.querySelectorAll("*")].filter(isMoved));
    const meet = (a, b) =>
        a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
    const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1
        && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
    const liesOnItsGround = e => {
        if (e.getRootNode() !== document) return false;
        let [under, seen] = [e, box(e)];
        for (; under && !covers(under); under = under.parentElement) {
            if (moved.has(under)) return false;
            if (under !== e && style(under).overflow !== "visible") seen = box(under);
        }
        if (under && under.parentElement?.parentElement && !within(seen, box(under))) return false;
        return ![...moved].some(
            m => meet(box(e), box(m)) && !m.contains(e) && !e.contains(m));
    };

    const check = axe._audit.checks["color-contrast"];
    const judge = check.itself ??= check.evaluate;
    check.evaluate = function (node, ...rest) {
        const known = liesOnItsGround(node) && name(node);
        if (known && legible.has(known)) return true;
        const verdict = judge.call(this, node, ...rest);
        if (known && verdict === true) legible.add(known);
        return verdict;
    };
}"""
