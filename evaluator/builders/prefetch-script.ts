/** What the exit codes of the prefetch script mean that another attempt would not change. */
export const PERMANENT_EXITS = {
  3: "ModelNotFound",
  4: "DigestMismatch",
  5: "UpstreamTagMoved",
} as const;

/**
 * Fills a store with a model and checks what came: the manifest must have the expected digest, since
 * a tag may move between its resolution and its download. Its last line goes to the termination
 * message; the exit codes are those above, and 1 for what another attempt may mend. The download
 * runs in the background, since the first process of a container is stopped by no signal that it
 * has no trap for, and a shell heeds a trap only while it waits.
 */
export const PREFETCH_SCRIPT = `set -u
end() { echo "$2" >&2; printf '%s' "$2" > /dev/termination-log; exit "$1"; }
manifest="$OLLAYA_MODELS/$MANIFEST_PATH"
if [ -f /seed/manifest ] && [ ! -f "$manifest" ]; then
  mkdir -p "\${manifest%/*}" && cp /seed/manifest "$manifest" || end 1 "the store can't be written"
fi
log=/home/ollaya/.ollaya/pull.log
ollaya pull "$MODEL" > "$log" 2>&1 &
pull=$!
trap 'kill "$pull"; end 1 "the download was stopped"' TERM
if ! wait "$pull"; then
  last=$(tail -n 1 "$log" | cut -c 1-500)
  case "$(cat "$log")" in
    *"not found in registry"*) end 3 "$last" ;;
    *) end 1 "$last" ;;
  esac
fi
[ -f "$manifest" ] || end 1 "the download left no manifest at $MANIFEST_PATH"
found=$(sha256sum "$manifest" | cut -d ' ' -f 1)
if [ "$found" != "$EXPECT_DIGEST" ]; then
  rm -f "$manifest"
  if [ -f /seed/manifest ]; then
    end 5 "$MODEL now has the digest $found instead of $EXPECT_DIGEST: its tag was moved"
  fi
  end 4 "$MODEL has the digest $found instead of $EXPECT_DIGEST"
fi
for directory in "$STORE_ROOT"/*/; do
  name=$(basename "$directory")
  case "$name" in *[!0-9a-f]*) continue ;; esac
  case \${#name} in 10|16) ;; *) continue ;; esac
  case " $KEEP_SUBPATHS " in *" $name "*) ;; *) rm -rf "$directory" ;; esac
done
`;
