# The log of a test program: what tests/run shows of it, its counts, and its part of the JUnit file.
# Variables: title, status, seconds, show; counts and junit name the files to write.
function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/"/, "\\&quot;", text)
    return text
}
# A case in the JUnit file. words: why it failed or was skipped.
function testcase(program, name, time, result, words) {
    printf "    <testcase classname=\"%s\" name=\"%s\"%s", escaped(program), escaped(name),
           (time == "" ? "" : " time=\"" time "\"") >junit
    if (result == "ok") print "/>" >junit
    else if (result == "skipped")
        printf "><skipped message=\"%s\"/></testcase>\n", escaped(words) >junit
    else printf "><failure>%s</failure></testcase>\n", escaped(words) >junit
}
/^(not )?ok [0-9]+ - / {
    result = ($1 == "not") ? "failed" : "ok"
    name = $0
    sub(/^(not )?ok [0-9]+ - /, "", name)
    time = why = ""
    if (match(name, / # [0-9.]+ s$/)) {
        time = substr(name, RSTART + 3, RLENGTH - 5)
        name = substr(name, 1, RSTART - 1)
    }
    if (match(name, / # SKIP/)) {
        why = substr(name, RSTART + 8)
        name = substr(name, 1, RSTART - 1)
        if (result == "ok") result = "skipped"
    }
    # The shares of a program (tests/shards) have the same cases: one fails if a share of it does.
    if (!(name in results)) { order[++cases] = name; results[name] = result; words[name] = why }
    if (time != "") times[name] += time
    lines[++n] = $0
    hidden[n] = result != "failed"
    if (result == "failed") {
        words[name] = (results[name] == "failed" ? words[name] : "") before $0 "\n"
        results[name] = "failed"
        failed_cases++
        for (i = last + 1; i <= n; i++) failing[i] = 1
    }
    last = n
    before = ""
    next
}
/^[0-9]+ passed, [0-9]+ failed/ { good = $1; bad = $3; ends = 1; next }
/^[0-9]+ known to fail$/ { known += $1 }
{ lines[++n] = $0; before = before $0 "\n" }
END {
    if (status && !bad) { bad = 1; odd = 1 }
    if (!good && !bad && (status || !skips())) { bad = 1; odd = 1 }
    whole = bad && (odd || !failed_cases)
    for (i = 1; i <= n; i++)
        if (lines[i] ~ show || (bad && !hidden[i] && (whole || failing[i] || i > last)))
            print "    " lines[i]
    if (odd) printf "    ended %s, status %d\n", ends ? "badly" : "early", status
    printf "%-44s %6d passed, %d failed, %d s\n", title, good, bad, seconds
    print good + 0, bad + 0, known + 0, cases ? cases : 1 >counts
    printf "  <testsuite name=\"%s\" time=\"%d\">\n", escaped(title), seconds >junit
    for (i = 1; i <= cases; i++) {
        name = order[i]
        at = index(name, ": ")
        testcase(at ? substr(name, 1, at - 1) : title, at ? substr(name, at + 2) : name,
                 times[name], results[name], words[name])
    }
    if (!cases || whole)
        testcase(title, cases ? "outside its cases" : title, seconds, bad ? "failed" : "ok",
                 before "status " status)
    print "  </testsuite>" >junit
}
function skips(   i) {
    for (i = 1; i <= n; i++) if (lines[i] ~ /skipped|# SKIP/) return 1
    return 0
}
