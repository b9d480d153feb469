package import Domain

extension CompanyStatus {
  /// Parses the status of a row. An unknown value becomes `erased`, which permits nothing.
  package init(stored text: String) { self = CompanyStatus(rawValue: text) ?? .erased }
}

extension MemberStatus {
  /// Parses the status of a row. An unknown value becomes `removed`, which permits nothing.
  package init(stored text: String) { self = MemberStatus(rawValue: text) ?? .removed }
}
