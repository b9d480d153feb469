/// A section of a provisioning file that has the records of one type: `machines` for `maintenance.machine`.
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

  /// The sections that the caller of a decoder gave it.
  static func known(to decoder: any Decoder) -> [NamedSection] {
    key.flatMap { decoder.userInfo[$0] as? [NamedSection] } ?? []
  }
}

extension ProvisionedTypes {
  /// The sections of the types that declare one, targets of references first.
  ///
  /// A name that is a key of every company, or that another type has already, is not used.
  package var sections: [NamedSection] {
    var taken = Set(CompanyState.keys + ["records", "slug"])
    return ordered(provisionable).compactMap { type in
      guard let name = try? self.type(type).definition.section, taken.insert(name).inserted else {
        return nil
      }
      return NamedSection(name: name, type: type)
    }
  }

  /// The user info for decoding a ``ProvisioningDocument``.
  package var userInfo: [CodingUserInfoKey: Any] {
    NamedSection.key.map { [$0: sections] } ?? [:]
  }
}
