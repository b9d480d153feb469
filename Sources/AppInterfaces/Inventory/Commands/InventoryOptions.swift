internal import Apps
internal import CoreCommands
internal import Engine
internal import Terminal

extension RecordOptions {
  /// Runs a command's body with the records of the household.
  func withInventory<Value>(_ body: (Services, Records, ActingContext) async throws -> Value) async throws
    -> Value
  {
    try await company.withActingContext { services, acting in
      try await body(services, try await Records.open(services), acting)
    }
  }
}

/// Formats tags or categories as a table.
enum LabelTable {
  static func of(_ labels: [ItemLabel], _ heading: String) -> Table {
    Table(
      columns: [Column(heading), Column("items", kind: .number)],
      rows: labels.map { [.string($0.name), .integer($0.count)] }
    )
  }
}
