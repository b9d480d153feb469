extension AppManifest {
  /// Returns the same manifest with another version of one workflow.
  func replacing(_ definition: WorkflowDefinition) -> AppManifest {
    var copy = self
    copy.workflows = workflows.filter { $0.definition?.name != definition.name } + [.inline(definition)]
    return copy
  }

  /// Returns the findings about a workflow as if it replaced this manifest's workflow of that name.
  ///
  /// The paths of the findings are relative to the workflow's own file.
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
  /// The app that the workflow's record type belongs to.
  package var app: String { String(name.prefix { $0 != "." }) }
}

extension WorkflowDiagnostic {
  /// The finding in the form of a finding about a manifest.
  package var ofManifest: ManifestDiagnostic {
    ManifestDiagnostic(code: code.rawValue, path: path, message: message, hint: hint)
  }
}
