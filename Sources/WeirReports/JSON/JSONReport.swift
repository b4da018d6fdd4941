/// A report as a JSON document.
public enum JSONReport {}
