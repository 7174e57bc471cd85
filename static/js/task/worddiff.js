// The word difference between two texts: pure, no page needed.

const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}\u200c\u200d]+(?:['’\-‐][\p{L}\p{M}\p{N}]+)*|\s+|./gsu;
// Above this many comparisons the middle counts as replaced as a whole.
const MOST_COMPARISONS = 4_000_000;

export function tokens(text) {
  return text.match(TOKEN) ?? [];
}

/** The parts in reading order: [{kind: "same" | "delete" | "insert", text}], deletions first. */
export function wordDiff(before, after) {
  const old = tokens(before);
  const now = tokens(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) {
    end += 1;
  }
  const middle = align(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const edits = [
    ...old.slice(0, start).map((text) => ({ kind: "same", text })),
    ...middle,
    ...old.slice(old.length - end).map((text) => ({ kind: "same", text })),
  ];
  return gather(edits);
}

function align(old, now) {
  const whole = [
    ...old.map((text) => ({ kind: "delete", text })),
    ...now.map((text) => ({ kind: "insert", text })),
  ];
  if (!old.length || !now.length || old.length * now.length > MOST_COMPARISONS) return whole;
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const edits = [];
  let i = 0;
  let j = 0;
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      edits.push({ kind: "same", text: old[i] });
      i += 1;
      j += 1;
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      edits.push({ kind: "delete", text: old[i] });
      i += 1;
    } else {
      edits.push({ kind: "insert", text: now[j] });
      j += 1;
    }
  }
  for (; i < old.length; i += 1) edits.push({ kind: "delete", text: old[i] });
  for (; j < now.length; j += 1) edits.push({ kind: "insert", text: now[j] });
  return edits;
}

// Joins neighbours. A space between two edits, or text shorter than both of them ("her" within a
// rewritten phrase), is noise: it changes with them, so that a rewritten phrase reads as one
// deletion and one insertion.
function gather(edits) {
  const blocks = [];
  for (const { kind, text } of edits) {
    const same = kind === "same";
    if (blocks.at(-1)?.same !== same) blocks.push({ same, delete: "", insert: "" });
    const block = blocks.at(-1);
    if (kind !== "insert") block.delete += text;
    if (kind !== "delete") block.insert += text;
  }
  for (let at = 1; at < blocks.length - 1; ) {
    const [before, block, after] = blocks.slice(at - 1, at + 2);
    if (block.same && isNoise(block.delete, Math.min(extent(before), extent(after)))) {
      before.delete += block.delete + after.delete;
      before.insert += block.insert + after.insert;
      blocks.splice(at, 2);
      at = Math.max(1, at - 2);
    } else {
      at += 1;
    }
  }
  return blocks.flatMap(parts);
}

const isNoise = (text, edited) => text.trim() === "" || text.length < edited;

const extent = (block) => Math.max(block.delete.length, block.insert.length);

function parts(block) {
  if (block.same) return [{ kind: "same", text: block.delete }];
  return ["delete", "insert"].flatMap((kind) =>
    block[kind] ? [{ kind, text: block[kind] }] : [],
  );
}
