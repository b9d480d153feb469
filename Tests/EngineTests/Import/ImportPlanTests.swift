import Domain
import Store
import Testing

@testable import Engine

@Suite struct ImportPlanTests {
  @Test func `a cell equals a stored value of the same meaning, and never a missing one`() {
    #expect(ColumnKind.time.isEqual("08:30", "08:30:00"))
    #expect(ColumnKind.boolean.isEqual("no", false))
    #expect(!ColumnKind.time.isEqual("08:30", "09:30:00"))
    #expect(!ColumnKind.time.isEqual("08:30", .null))
    #expect(!ColumnKind.boolean.isEqual("no", .null))
  }

  @Test func `a mapping is pairs of column and heading, blanks left out`() throws {
    let pairs = try ImportPlan.pairs(
      [" machine_id = Asset,description=Text = long", "due_on=Due"],
      option: "--map"
    )
    #expect(pairs.map(\.0) == ["machine_id", "description", "due_on"])
    #expect(pairs.map(\.1) == ["Asset", "Text = long", "Due"])
  }

  @Test func `a heading or a value with a comma is put in quotes`() throws {
    let pairs = try ImportPlan.pairs(
      [#"actual_cost="Kostnad, kr",category=Engine"#, #""description=a ""b"", c=d""#, #"notes=5" hose"#],
      option: "--map"
    )
    #expect(pairs.map(\.0) == ["actual_cost", "category", "description", "notes"])
    #expect(pairs.map(\.1) == ["Kostnad, kr", "Engine", #"a "b", c=d"#, #"5" hose"#])
    let error = #expect(throws: DomainError.self) {
      try ImportPlan.pairs([#"actual_cost="Kostnad, kr"#], option: "--map")
    }
    #expect(error?.message.contains("is not closed") == true)
  }

  @Test(arguments: [
    ["description"], ["=Text"], ["description=A,description=B"], ["description=A, description =B"],
    ["description=A", "description=B"],
  ])
  func `a column is named once, with what fills it`(_ texts: [String]) {
    let error = #expect(throws: DomainError.self) { try ImportPlan.pairs(texts, option: "--map") }
    #expect(error?.code == .invalidInput && error?.message.contains("--map") == true)
  }
}
