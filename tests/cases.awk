# Finds the cases whose 'PROGRAM: NAME' contains `wanted` in tests/*/test_*.c and
# tests/cli/*.test, and prints SOURCE<tab>PROGRAM: NAME of each. In a name made by case_name(), %s
# stands for any text.

# Takes the characters of a literal from `rest`, up to the quote that ends it.
function literal(   c, text) {
    text = ""
    while (rest != "") {
        c = substr(rest, 1, 1)
        rest = substr(rest, 2)
        if (c == "\"") break
        if (c == "\\") { c = substr(rest, 1, 1); rest = substr(rest, 2) }
        text = text c
    }
    return text
}
# Whether `wanted` is all of a name with such places.
function fits(name,   pieces, n, i, pattern) {
    n = split(name, pieces, /%[-+ #0-9.*]*(ll|l|z|j|h)*[a-zA-Z]/)
    if (n < 2) return 0
    for (i = 1; i <= n; i++) {
        gsub(/[][\\.^$*+?(){}|]/, "[&]", pieces[i])
        gsub(/\[\\\]/, "[\\\\]", pieces[i])
        gsub(/\[\^\]/, "\\^", pieces[i])
        pattern = pattern (i > 1 ? ".*" : "") pieces[i]
    }
    return (program ": " wanted) ~ ("^" pattern "$") || wanted ~ ("^" pattern "$")
}
function found(name) {
    name = program ": " name
    if (index(name, wanted)) print FILENAME "\t" name
    else if (fits(name)) perhaps[++weak] = FILENAME "\t" name
    strong += index(name, wanted) > 0
}
FNR == 1 {
    program = FILENAME
    sub(/.*\//, "", program)
    sub(/\..*/, "", program)
    if (FILENAME ~ /\.c$/) sub(/^test_/, "", program)
    waits = 0
}
FILENAME ~ /\.test$/ {
    if (!match($0, /^it ['"]/)) next
    quote = substr($0, 4, 1)
    rest = substr($0, 5)
    if (quote == "\"") found(literal())
    else {
        gsub(/'\\''/, "\001", rest)
        sub(/'.*/, "", rest)
        gsub(/\001/, "'", rest)
        found(rest)
    }
    next
}
{ rest = $0 }
match(rest, /(^|[^A-Za-z_])RUN(_COUNTED)?\(/) && rest !~ /^(#| \*)/ {
    rest = substr(rest, RSTART + RLENGTH)
    waits = 1
}
# The name is the first literal behind RUN(, perhaps on a later line, perhaps of several pieces.
waits && match(rest, /"/) {
    if (waits == 1) name = ""
    while (match(rest, /"/)) {
        if (waits == 2 && substr(rest, 1, RSTART - 1) ~ /[^ ]/) break
        rest = substr(rest, RSTART + 1)
        name = name literal()
        waits = 2
    }
    if (rest ~ /^ *$/) next
    found(name)
    waits = 0
}
END { for (i = 1; !strong && i <= weak; i++) print perhaps[i] }
