package import FoundationEssentials

/// A machine that is maintained.
package struct Machine: RecordFields {
  /// What is painted on it, such as RM-001; unique in the company whatever the case.
  package let code: String
  /// The code as it is compared; computed.
  package let codeKey: String
  /// What people call it.
  package let name: String
  /// The attachment shown in lists.
  package let photoID: UUID?
  /// Whether it is in use.
  package let status: MachineStatus
  /// What the status means to outsiders.
  package let statusCategory: StateCategory

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case code
    case codeKey = "code_key"
    case name
    case photoID = "photo_id"
    case status
    case statusCategory = "status_category"
  }

  /// Puts the columns together.
  package init(
    code: String,
    codeKey: String,
    name: String,
    photoID: UUID? = nil,
    status: MachineStatus,
    statusCategory: StateCategory
  ) {
    self.code = code
    self.codeKey = codeKey
    self.name = name
    self.photoID = photoID
    self.status = status
    self.statusCategory = statusCategory
  }

  package static let typeName = "maintenance.machine"

  package static var columns: [String] { RecordBase.columns + CodingKeys.allCases.map(\.rawValue) }
}
