internal import Domain

/// The encoding `application/x-www-form-urlencoded`, which is also that of a query.
package enum FormCoding {
  /// Returns the pairs as text. Everything but unreserved characters is escaped.
  package static func encode(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
  }
}
