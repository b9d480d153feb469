package import Domain

extension CompanyStatus {
  /// Reads the status of a row; a value that this program does not know permits nothing.
  package init(stored text: String) { self = CompanyStatus(rawValue: text) ?? .erased }
}

extension MemberStatus {
  /// Reads the status of a row; a value that this program does not know permits nothing.
  package init(stored text: String) { self = MemberStatus(rawValue: text) ?? .removed }
}
