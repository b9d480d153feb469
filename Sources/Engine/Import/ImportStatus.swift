internal import Domain
internal import Store

/// The statuses of imported records, with their categories.
struct ImportStatus: Sendable {
  private let type: RecordType
  /// The status of lines that have none; nil for a type without a workflow.
  let usual: (String, String)?

  /// - Throws: `invalid_input` if the plan's fixed status is not a state of the workflow.
  init(type: RecordType, plan: ImportPlan) throws {
    self.type = type
    let name = plan.fixed.first { $0.column == "status" }?.value ?? type.workflow?.initial
    usual = try name.map { try Self.find($0, type) }
  }

  /// Returns the status of a line, or the default.
  ///
  /// - Throws: `invalid_input` if the workflow has no such state.
  func of(_ line: ImportLine) throws -> (String, String)? {
    guard let name = line.status, name != usual?.0 else { return usual }
    return try Self.find(name, type)
  }

  private static func find(_ name: String, _ type: RecordType) throws -> (String, String) {
    guard let workflow = type.workflow else {
      throw DomainError(.invalidInput, "\(type.name) has no status")
    }
    let state = try workflow.state(written: name, of: type.name)
    return (state.name, state.category.rawValue)
  }
}

extension ImportPlan {
  /// Returns the columns that the plan fills in all lines, the status not among them.
  ///
  /// - Throws: `unknown_fields` for an unknown column.
  func fixedTargets(_ type: RecordType) throws -> [(target: ImportMapping.Target, value: String)] {
    try fixed.filter { $0.column != "status" }.map { (try ImportMapping.target($0.column, type), $0.value) }
  }
}
