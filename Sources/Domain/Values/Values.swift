// A file that imports Domain can use the shared values without a further import.
@_exported public import Values
