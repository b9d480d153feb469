import Testing

@testable import Terminal

@Suite struct TableShapingTests {
  private let orders = Fixtures.orders

  private func machines(_ table: Table) -> [String] { table.rows.map(\.[0].plainText) }

  @Test func `columns are chosen and ordered`() throws {
    let table = try orders.selecting("hours, machine")
    #expect(table.columns.map(\.key) == ["hours", "machine"])
    #expect(table.rows[1] == [.number("10.5"), "EX-10"])
  }

  @Test func `numbers sort by value and texts without regard to case`() throws {
    #expect(try machines(orders.sorted(by: "hours")) == ["ex-02", "EX-01", "EX-10"])
    #expect(try machines(orders.sorted(by: "-hours")) == ["EX-10", "EX-01", "ex-02"])
    #expect(try machines(orders.sorted(by: "machine")) == ["EX-01", "ex-02", "EX-10"])
    #expect(try machines(orders.sorted(by: "status,-machine")) == ["EX-10", "ex-02", "EX-01"])
  }

  @Test func `missing values come last in both directions`() throws {
    #expect(try machines(orders.sorted(by: "reported_on")).last == "EX-10")
    #expect(try machines(orders.sorted(by: "-reported_on")).last == "EX-10")
  }

  @Test func `equal rows keep their order`() throws {
    let table = Table(
      columns: [Column("a"), Column("n", kind: .number)],
      rows: (0..<100).map { [.string($0.isMultiple(of: 2) ? "x" : "y"), .integer($0)] }
    )
    let numbers = try table.sorted(by: "-a").rows.map(\.[1].plainText)
    let expected = Array(stride(from: 1, to: 100, by: 2)) + Array(stride(from: 0, to: 100, by: 2))
    #expect(numbers == expected.map(String.init))
  }

  @Test func `decimals that are one double still differ`() {
    let order = [
      "-9", "-0.5", "0", "0.10", "0.100000000000000000001", "1", "9007199254740992", "9007199254740993",
      "1e20",
    ]
    for (low, left) in order.enumerated() {
      for (high, right) in order.enumerated() {
        let comparison = CellOrder.compare(.number(left), .number(right))
        #expect(comparison.signum() == (low - high).signum(), "\(left) \(right)")
      }
    }
    #expect(CellOrder.compare(.number("1.50"), .number("1.5")) == 0)
    #expect(CellOrder.compare(.number("-0"), .number("0.0")) == 0)
    #expect(CellOrder.compare(.number("NaN"), .number("5")) > 0)
  }

  @Test func `filters compare whole values and all must hold`() throws {
    #expect(try machines(orders.filtered(by: ["status=open"])) == ["EX-01", "ex-02"])
    #expect(try machines(orders.filtered(by: ["status=open", "machine!=EX-01"])) == ["ex-02"])
    #expect(try machines(orders.filtered(by: ["note="])) == ["EX-10", "ex-02"])
    #expect(try machines(orders.filtered(by: ["note=Replace"])).isEmpty)
    #expect(try orders.filtered(by: []) == orders)
  }

  @Test func `a mistyped column gets a suggestion`() {
    for attempt in [
      { _ = try orders.selecting("machine,huors") }, { _ = try orders.sorted(by: "-huors") },
      { _ = try orders.filtered(by: ["huors=1"]) },
    ] {
      let error = #expect(throws: TerminalError.self, performing: attempt)
      #expect(error?.kind == .unknownColumn)
      #expect(error?.hint == "did you mean hours? use one of: machine, status, hours, reported_on, note")
    }
  }

  @Test(arguments: ["status", "=open", ""])
  func `a condition without column and value is refused`(filter: String) {
    let error = #expect(throws: TerminalError.self) { try orders.filtered(by: [filter]) }
    #expect(error?.kind == .malformedFilter)
  }
}
