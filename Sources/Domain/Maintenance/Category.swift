package import FoundationEssentials

/// What kind of work an entry is.
package struct Category: RecordFields {
  /// What people call it.
  package let name: String
  /// The name as it is compared; computed.
  package let nameKey: String
  /// The only machine it is for; nil for all of them.
  package let machineID: UUID?
  /// Whether it is for all machines; computed.
  package let isBase: Bool

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case name
    case nameKey = "name_key"
    case machineID = "machine_id"
    case isBase = "is_base"
  }

  /// Puts the columns together.
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

  /// Whether work on a machine can be of this category.
  package func applies(to machine: UUID) -> Bool { Self.applies(to: machine, limitedTo: machineID) }

  /// Whether work on a machine can be of a category.
  ///
  /// - Parameter owner: the only machine of the category; nil for all of them.
  package static func applies(to machine: UUID?, limitedTo owner: UUID?) -> Bool {
    owner == nil || owner == machine
  }
}
