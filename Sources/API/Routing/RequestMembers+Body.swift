internal import Domain
package import Engine

extension RequestMembers {
  /// Reads a JSON body.
  ///
  /// - Throws: `invalid_json`, `unknown_fields`.
  package init(_ request: APIRequest, _ names: [String], longestText: Int = 32_768) throws {
    try self.init(request.json(), names, longestText: longestText)
  }
}
