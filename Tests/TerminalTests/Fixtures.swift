@testable import Terminal

/// Work orders with everything that a table can hold.
enum Fixtures {
  static let columns = [
    Column("machine"),
    Column("status", kind: .status(["open": .yellow, "completed": .green])),
    Column("hours", kind: .number),
    Column("reported_on", title: "Reported", kind: .instant),
    Column("note"),
  ]

  static let orders = Table(
    columns: columns,
    rows: [
      ["EX-01", "open", .number("8.00"), "2026-03-28T21:00:00.25Z", "Replace the hydraulic hose, again"],
      ["EX-10", "completed", .number("10.5"), .null, .null],
      ["ex-02", "open", .number("-1"), "2026-01-02T03:04:05Z", ""],
    ]
  )

  static func screen(_ width: Int, color: Bool = false) -> Screen {
    Screen(isTerminal: true, width: width, usesColor: color)
  }
}
