import Testing

@testable import Terminal

@Suite struct ManualPageTests {
  private let page = ManualPage(
    path: ["fettle", "machine", "show"],
    abstract: "Show a machine",
    discussion: """
      Its key is what is painted on it.

      .hidden lines are text too.

      Examples:
        fettle machine show RM-001 \\
          --company acme
      """,
    arguments: [
      .init(
        kind: .positional,
        names: [],
        valueName: "machine",
        abstract: "Its code.",
        isOptional: false,
        isRepeating: false,
        values: []
      ),
      .init(
        kind: .option,
        names: ["--output", "-o"],
        valueName: "output",
        abstract: "The format.",
        isOptional: true,
        isRepeating: false,
        values: ["table", "json"]
      ),
      .init(
        kind: .flag,
        names: ["--deleted"],
        valueName: "deleted",
        abstract: "A tombstone.",
        isOptional: true,
        isRepeating: false,
        values: []
      ),
    ],
    subcommands: [("all", "Show all")]
  )

  @Test func `a page has what man expects`() {
    #expect(
      page.mdoc(date: "November 22, 2026", system: "fettle 0.2.0") == #"""
        .Dd November 22, 2026
        .Dt FETTLE-MACHINE-SHOW 1
        .Os fettle 0.2.0
        .Sh NAME
        .Nm fettle\-machine\-show
        .Nd Show a machine
        .Sh SYNOPSIS
        .Nm fettle machine show
        .Ar subcommand
        .Ar machine
        .Op Fl \-output Ar output
        .Op Fl \-deleted
        .Sh DESCRIPTION
        Its key is what is painted on it.
        .Pp
        \&.hidden lines are text too.
        .Sh OPTIONS
        .Bl -tag -width 6n
        .It Ar machine
        Its code.
        .It Fl \-output Ar output , Fl o Ar output
        The format. One of: table, json.
        .It Fl \-deleted
        A tombstone.
        .El
        .Sh SUBCOMMANDS
        .Bl -tag -width 6n
        .It Xr fettle-machine-show-all 1
        Show all
        .El
        .Sh EXAMPLES
        .Bd -literal
        fettle machine show RM\-001 \e
          \-\-company acme
        .Ed

        """#
    )
    #expect(page.name == "fettle-machine-show")
  }
}
