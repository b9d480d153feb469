extension AppManifest {
  /// Returns the same manifest with another version of one workflow.
  package func replacing(_ definition: WorkflowDefinition) -> AppManifest {
    var copy = self
    copy.workflows = workflows.filter { $0.definition?.name != definition.name } + [.inline(definition)]
    return copy
  }

  /// Returns the findings about a workflow as if it replaced this manifest's workflow of that name.
  ///
  /// The paths of the findings are relative to the workflow's own file; findings about other parts of the manifest, such as
  /// a hook that fires a missing transition, keep theirs.
  package func findings(
    about definition: WorkflowDefinition,
    in context: ManifestContext = ManifestContext()
  ) -> [ManifestDiagnostic] {
    let place = "workflows.\(definition.name)."
    let known = Set(validate(in: context).filter { !$0.path.hasPrefix(place) })
    return replacing(definition).validate(in: context).filter { !known.contains($0) }.map { found in
      ManifestDiagnostic(
        code: found.code,
        path: found.path.hasPrefix(place) ? String(found.path.dropFirst(place.count)) : found.path,
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
