extension AppManifest {
  /// The same manifest with one of its workflows in another version.
  func replacing(_ definition: WorkflowDefinition) -> AppManifest {
    var copy = self
    copy.workflows = workflows.filter { $0.definition?.name != definition.name } + [.inline(definition)]
    return copy
  }

  /// Findings about a workflow if it replaced the one of this manifest; paths begin in the workflow's own file.
  package func findings(
    about definition: WorkflowDefinition,
    in context: ManifestContext = ManifestContext()
  ) -> [ManifestDiagnostic] {
    let place = "workflows.\(definition.name)."
    return replacing(definition).validate(in: context).filter { $0.path.hasPrefix(place) }.map { found in
      ManifestDiagnostic(
        code: found.code,
        path: String(found.path.dropFirst(place.count)),
        message: found.message,
        hint: found.hint
      )
    }
  }
}

extension WorkflowDefinition {
  /// The app whose record type it rules.
  package var app: String { String(name.prefix { $0 != "." }) }
}

extension WorkflowDiagnostic {
  /// The same finding among those of a manifest.
  package var ofManifest: ManifestDiagnostic {
    ManifestDiagnostic(code: code.rawValue, path: path, message: message, hint: hint)
  }
}
