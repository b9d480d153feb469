package import FoundationEssentials

/// A kind of maintenance work.
package struct Category: RecordFields {
  /// The display name.
  package let name: String
  /// The normalised name, by which names are compared; computed by PostgreSQL.
  package let nameKey: String
  /// The only machine to which the category applies; nil for all machines.
  package let machineID: UUID?
  /// True if the category applies to all machines; computed by PostgreSQL.
  package let isBase: Bool

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case name
    case nameKey = "name_key"
    case machineID = "machine_id"
    case isBase = "is_base"
  }

  /// Creates the columns.
  package init(
    name: String,
    nameKey: String,
    machineID: UUID? = nil,
    isBase: Bool
  ) {
    self.name = name
    self.nameKey = nameKey
    self.machineID = machineID
    self.isBase = isBase
  }

  package static let typeName = "maintenance.category"

  package static var columns: [String] { RecordBase.columns + CodingKeys.allCases.map(\.rawValue) }

  /// True if work on the machine can have this category.
  package func applies(to machine: UUID) -> Bool { Self.applies(to: machine, limitedTo: machineID) }

  /// True if work on a machine can have a category.
  ///
  /// - Parameters:
  ///   - machine: the machine.
  ///   - owner: the only machine of the category; nil for all machines.
  package static func applies(to machine: UUID?, limitedTo owner: UUID?) -> Bool {
    owner == nil || owner == machine
  }
}
