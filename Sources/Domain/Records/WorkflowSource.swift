/// The source of a workflow: the manifest itself, or a file in its folder.
package enum WorkflowSource: Sendable, Hashable {
  /// The definition in the manifest.
  case inline(WorkflowDefinition)
  /// The name of a file in the manifest's folder.
  case file(String)

  /// The definition; nil if it is in a file.
  package var definition: WorkflowDefinition? {
    if case .inline(let definition) = self { definition } else { nil }
  }

  /// The name of the file; nil if the definition is in the manifest.
  package var file: String? {
    if case .file(let name) = self { name } else { nil }
  }
}

extension WorkflowSource: Codable {
  private struct FileName: Codable {
    let file: String

    init(file: String) { self.file = file }

    init(from decoder: any Decoder) throws {
      let object = try StrictObject(decoder, keys: ["file"])
      file = try object.required("file")
      guard !file.isEmpty, !file.contains("/"), !file.hasPrefix(".") else {
        throw object.invalid("file", "\(Quoted(file)) is not the name of a file in the manifest's folder")
      }
    }
  }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: NamedKey.self)
    if keys.contains(NamedKey("file")) {
      self = .file(try FileName(from: decoder).file)
    } else {
      self = .inline(try WorkflowDefinition(from: decoder))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .inline(let definition): try definition.encode(to: encoder)
    case .file(let name): try FileName(file: name).encode(to: encoder)
    }
  }
}
