import { type ASTVisitorKeyMap, type DocumentNode, parse } from 'graphql';

/** Parses definitions without their locations, which would keep every token of the text in memory. */
export const parseDefinitions = (sdl: string): DocumentNode => parse(sdl, { noLocation: true });

/** Limits `visit` to definitions and their fields. Most nodes of a schema are descriptions, types and names. */
export const definitionKeys: ASTVisitorKeyMap = {
  Document: ['definitions'],
  ObjectTypeDefinition: ['fields'],
  ObjectTypeExtension: ['fields'],
  InterfaceTypeDefinition: ['fields'],
  InterfaceTypeExtension: ['fields'],
};
