/// A section of a provisioning file that contains the records of one type, such as `machines` for
/// `maintenance.machine`.
package struct NamedSection: Sendable, Hashable {
  /// The key in the file.
  package let name: String
  /// The record type.
  package let type: String

  package init(name: String, type: String) {
    self.name = name
    self.type = type
  }

  fileprivate static var key: CodingUserInfoKey? { CodingUserInfoKey(rawValue: "fettle.sections") }

  /// Returns the sections in a decoder's user info; empty if there are none.
  static func known(to decoder: any Decoder) -> [NamedSection] {
    key.flatMap { decoder.userInfo[$0] as? [NamedSection] } ?? []
  }
}

extension ProvisionedTypes {
  /// The sections of the types that declare one, each after the types that it refers to.
  ///
  /// A name is left out if it is a key of every company, or if another type has it already.
  package var sections: [NamedSection] {
    var taken = Set(CompanyState.keys + ["records", "slug"])
    return ordered(provisionable).compactMap { type in
      guard let name = try? self.type(type).definition.section, taken.insert(name).inserted else {
        return nil
      }
      return NamedSection(name: name, type: type)
    }
  }

  /// The user info for a decoder of ``ProvisioningDocument``: the sections of these types.
  package var userInfo: [CodingUserInfoKey: Any] {
    NamedSection.key.map { [$0: sections] } ?? [:]
  }
}
