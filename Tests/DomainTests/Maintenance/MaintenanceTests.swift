import FoundationEssentials
import Testing

@testable import Domain

@Suite struct MaintenanceTests {
  @Test func `the typed status moves along exactly the edges of the workflow`() throws {
    let definition = try Fixture.entryWorkflow()
    let people = definition.transitions.filter { $0.by == .person }
    #expect(people.map(\.name) == MaintenanceStatus.Action.allCases.map(\.rawValue))
    #expect(definition.states.map(\.name) == MaintenanceStatus.allCases.map(\.rawValue))
    for status in MaintenanceStatus.allCases {
      #expect(definition.state(status.rawValue)?.category == status.category)
      for action in MaintenanceStatus.Action.allCases {
        let transition = try #require(definition.transition(action.rawValue))
        let expected = transition.from.contains(status.rawValue) ? transition.to : nil
        #expect(status[action]?.rawValue == expected, "\(status) \(action)")
        if let expected {
          #expect(try status.after(action).rawValue == expected)
        } else {
          let error = try #require(refusal { _ = try status.after(action) })
          #expect(error.code == .wrongState)
          #expect(error.details["allowed"] == .strings(status.actions.map(\.rawValue)))
        }
      }
    }
  }

  @Test func `every type lists the base columns first and each column once`() {
    let types: [any RecordFields.Type] = [Machine.self, Category.self, MaintenanceEntry.self, TimeEntry.self]
    for type in types {
      #expect(Array(type.columns.prefix(RecordBase.columns.count)) == RecordBase.columns)
      #expect(Set(type.columns).count == type.columns.count)
      #expect(type.columns.allSatisfy { Identifier.isWord($0) })
      #expect(type.typeName.hasPrefix("maintenance."))
    }
    #expect(RecordBase.columns.count == 12)
    #expect(MaintenanceEntry.columns.count == 12 + 24)
    #expect(TimeEntry.columns.count == 12 + 10)
    #expect(Machine.columns.count == 12 + 6)
    #expect(Category.columns.count == 12 + 4)
  }

  @Test func `a row travels as one flat object under the names of its columns`() throws {
    let base = RecordBase(
      companyID: Fixture.company,
      id: Fixture.ben,
      createdAt: Fixture.now,
      updatedAt: Fixture.now
    )
    let entry = Record(
      base: base,
      fields: TimeEntry(
        entryID: Fixture.ana,
        userID: nil,
        userName: "Guest",
        workDate: try LocalDate(parsing: "2026-02-03"),
        startTime: try LocalTime(parsing: "08:00"),
        endTime: try LocalTime(parsing: "16:30"),
        hasLunch: true,
        startedAt: Fixture.now,
        endedAt: Fixture.now,
        actualHours: Hours(hundredths: 800)
      )
    )
    let data = try JSONEncoder().encode(entry)
    #expect(try JSONDecoder().decode(Record<TimeEntry>.self, from: data) == entry)
    let json = try JSONValue(parsing: String(decoding: data, as: UTF8.self))
    #expect(json.object?["start_time"] == "08:00")
    #expect(json.object?["actual_hours"] == "8.00")
    let keys = try #require(json.object).keys
    #expect(keys.allSatisfy(TimeEntry.columns.contains))
    #expect(entry.version == 1)
    #expect(entry.userName == "Guest")
    #expect(try entry.fields.workedHours().endsNextDay == false)
  }

  @Test func `the rest of a split entry keeps its machine and plan, not its cost or number`() throws {
    func entry(_ status: MaintenanceStatus) throws -> MaintenanceEntry {
      MaintenanceEntry(
        machineID: Fixture.ana,
        categoryID: Fixture.ben,
        summary: "Leaks",
        estimatedHours: Hours(hundredths: 250),
        actualCost: nil,
        reportedOn: try LocalDate(parsing: "2026-02-03"),
        externalRef: "WO-7",
        priority: 1,
        planID: Fixture.company,
        status: status,
        statusCategory: status.category
      )
    }
    let rest = try entry(.inProgress).remainder(of: Fixture.ana, changes: ["description": "The other hose"])
    #expect(rest["machine_id"]?.string == Fixture.ana.text && rest["split_from"]?.string == Fixture.ana.text)
    #expect(rest["plan_id"]?.string == Fixture.company.text && rest["priority"] == "1")
    #expect(rest["description"] == "The other hose" && rest["estimated_hours"] == "2.50")
    #expect(rest["external_ref"] == nil && rest["reported_on"] == nil && rest["due_on"] == nil)
    for status in [MaintenanceStatus.pending, .completed] {
      let error = try #require(refusal { _ = try entry(status).remainder(of: Fixture.ana, changes: [:]) })
      #expect(error.code == .wrongState)
    }
  }

  @Test func `a category is for its machine or for all`() {
    let base = Category(name: "Oil", nameKey: "oil", isBase: true)
    let special = Category(name: "Paint", nameKey: "paint", machineID: Fixture.ana, isBase: false)
    #expect(base.applies(to: Fixture.ben))
    #expect(special.applies(to: Fixture.ana))
    #expect(!special.applies(to: Fixture.ben))
  }
}
