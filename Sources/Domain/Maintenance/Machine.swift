package import FoundationEssentials

/// A machine to be maintained.
package struct Machine: RecordFields {
  /// The code on the machine, such as RM-001; unique in the company, ignoring case.
  package let code: String
  /// The normalised code, by which codes are compared; computed by PostgreSQL.
  package let codeKey: String
  /// The display name.
  package let name: String
  /// The photo shown in lists, an attachment; nil for none.
  package let photoID: UUID?
  /// The status in the workflow.
  package let status: MachineStatus
  /// The category of ``status``.
  package let statusCategory: StateCategory

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case code
    case codeKey = "code_key"
    case name
    case photoID = "photo_id"
    case status
    case statusCategory = "status_category"
  }

  /// Creates the columns.
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
